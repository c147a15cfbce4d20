/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GPU behind its PCI function, and the loop that drives both. */
#ifndef TESS_MODEL_MODEL_H
#define TESS_MODEL_MODEL_H

#include <signal.h>

struct log;
struct model;
struct options;

/* What a signal asks for */
enum { MODEL_GOES_ON, MODEL_STOPS, MODEL_LEAVES };

/**
 * model_new() - make the GPU and its socket
 * @o: options
 * @log: for messages
 * @unblocked: signal mask to wait with; the signals that set @stop are blocked otherwise
 * @stop: set by a signal: MODEL_STOPS ends model_loop(), MODEL_LEAVES as soon as another process can
 *	serve the GPU
 *
 * Returns NULL with errno set on failure.
 */
struct model *model_new(const struct options *o, struct log *log, const sigset_t *unblocked,
			volatile sig_atomic_t *stop);
void model_free(struct model *m);

/** model_loop() - serve until that; 0, or a negative errno if the server broke */
int model_loop(struct model *m);

#endif /* TESS_MODEL_MODEL_H */
