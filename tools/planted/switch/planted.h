/* Included ahead of every source file of a solver that tools/planted.sh builds. */
#ifndef SMTLARK_PLANTED_H
#define SMTLARK_PLANTED_H

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the defect with this number is the one that SMTLARK_PLANTED names. It counts how often it was asked for that one. */
int planted (int defect);

#ifdef __cplusplus
}
#endif

#endif
