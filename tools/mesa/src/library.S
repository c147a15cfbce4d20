/* SPDX-License-Identifier: MIT */
/* Bitcode of device/sample.c, for both, and of Mesa's formats, which is for every processor */
	.section .rodata
	.globl	tess_gl_library_gpu, tess_gl_library_cpu, tess_gl_library_format, tess_gl_library_end
	.hidden	tess_gl_library_gpu, tess_gl_library_cpu, tess_gl_library_format, tess_gl_library_end
	.balign	16
tess_gl_library_gpu:
	.incbin	"sample-gpu.bc"
	.balign	4
tess_gl_library_cpu:
	.incbin	"sample-cpu.bc"
	.balign	4
tess_gl_library_format:
	.incbin	"format.bc"
tess_gl_library_end:
	.section .note.GNU-stack,"",@progbits
