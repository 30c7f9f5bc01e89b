/* An SMT-LIB solver that decides nothing and counts its "edges" as a program does that afl-clang-fast has built: in the System V shared
   memory that __AFL_SHM_ID names, a byte for each word of its input, by a hash. Words of assertions stand for the code that they would
   run. It answers check-sat by the :status. (die) kills it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/shm.h>

#ifndef EDGES
#define EDGES 65536
#endif

static unsigned char dummy[EDGES], *map = dummy;

static void
count (const char *word, size_t n)
{
  unsigned long hash = 2166136261u;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (unsigned char) word[i]) * 16777619u;
  unsigned char *cell = map + 1 + hash % (EDGES - 1);
  if (!++*cell)
    *cell = 1;
}

#ifdef SITES
/* Edges that have a place in the code, as SanitizerCoverage lays them out (x86-64): words that begin with "near" go the way to a change. */
#define FIRST 100
unsigned edges[5] __attribute__ ((section ("__sancov_guards"), used));

#define EDGE(k) \
  do \
    { \
      long at; \
      __asm__ volatile ("movslq edges+%c1(%%rip), %0" : "=r"(at) : "i"(4 * (k))); \
      map[at] = 1; \
    } \
  while (0)

static void __attribute__ ((constructor))
number (void)
{
  for (unsigned i = 0; i < 5; i++)
    edges[i] = FIRST + i;
}

volatile int sink;

void __attribute__ ((noinline))
changed (unsigned long n)
{
  EDGE (2);
  sink = 1; /* changed, and reached */
  if (n > 40)
    {
      EDGE (3);
      sink = 2; /* changed, and never reached */
    }
}

void __attribute__ ((noinline))
calls (unsigned long n)
{
  EDGE (1);
  if (n > 5)
    changed (n);
  sink = 3;
}

void __attribute__ ((noinline))
elsewhere (void)
{
  EDGE (4);
  sink = 4;
}
#endif

int
main (int argc, char **argv)
{
  if (getenv ("AFL_DUMP_MAP_SIZE"))
    {
      printf ("%d\n", EDGES);
      return 255;
    }
  const char *id = getenv ("__AFL_SHM_ID");
  if (id)
    {
      map = shmat (atoi (id), NULL, 0);
      if (map == (void *) -1)
        {
          perror ("shmat");
          return 1;
        }
      map[0] = 1;
    }
  count ("start", 5);
#ifdef LEAK
  for (int i = 0; i < 10; i++)
    map[1] += (long) malloc (100) & 1;
#endif
  FILE *in = stdin;
  for (int i = 1; i < argc; i++)
    if (!strcmp (argv[i], "--version"))
      return puts ("counting version 1.0") == EOF;
    else if (argv[i][0] != '-' && !(in = fopen (argv[i], "r")))
      {
        perror (argv[i]);
        return 1;
      }
  char line[1 << 16], status[8] = "sat";
  while (fgets (line, sizeof line, in))
    {
      char *text = line + strspn (line, " (");
      if (!strncmp (text, "echo \"", 6))
        {
          *strrchr (line, '"') = 0;
          puts (text + 6);
        }
      else if (!strncmp (text, "check-sat", 9))
        puts (status);
      else if (!strncmp (text, "set-info :status ", 17))
        sscanf (text + 17, "%7[a-z]", status);
      else if (!strncmp (text, "get-model", 9))
        puts ("()");
      else if (!strncmp (text, "exit", 4))
        break;
      else if (!strncmp (text, "die", 3))
        {
          count ("die", 3);
#ifdef LEAK
          char *room = malloc (argc);
          room[argc + 3] = 1;
#endif
          raise (SIGSEGV);
        }
      else if (!strncmp (text, "assert", 6))
        for (text += 6; *text;)
          {
            size_t n = strcspn (text, " ()\n");
            if (n)
              count (text, n);
#ifdef SITES
            if (!strncmp (text, "near", 4))
              calls (n);
            else
              elsewhere ();
#endif
            text += n + strspn (text + n, " ()\n");
          }
      fflush (stdout);
    }
  return 0;
}
