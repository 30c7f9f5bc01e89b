/* The switch of the defects of tools/planted.sh: SMTLARK_PLANTED holds the number of the one that is awake, without it all
 * sleep. When the process ends, a line with the number and how often the solver came by that defect is added to the file
 * that SMTLARK_PLANTED_HITS names. */
#include "planted.h"

#include <stdio.h>
#include <stdlib.h>

static int awake;
static unsigned long hits;

static void
tell (void)
{
  const char *name = getenv ("SMTLARK_PLANTED_HITS");
  FILE *file       = name && hits ? fopen (name, "a") : 0;
  if (!file) return;
  fprintf (file, "%d %lu\n", awake, hits);
  fclose (file);
}

__attribute__ ((constructor)) static void
begin (void)
{
  const char *number = getenv ("SMTLARK_PLANTED");
  awake              = number ? atoi (number) : 0;
  if (awake) atexit (tell);
}

int
planted (int defect)
{
  if (defect != awake) return 0;
  hits++;
  return 1;
}
