/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random programs for the ISA engine, that any order of execution has to survive. */
#ifndef TESS_MODEL_TESTS_ISA_RANDOM_H
#define TESS_MODEL_TESTS_ISA_RANDOM_H

#include "isa_env.h"

enum diet { ANY_WORDS, VALID_WORDS, SELF_MODIFYING };

/* A random number below @n. */
uint32_t pick(uint32_t n);

/* An address, often at the edge of something. */
uint64_t interesting(void);

/* Fill @env: code, rights of pages, a group with random registers and scheduling state. */
void random_program(struct isa_env *env, enum diet diet);

#endif
