/* SPDX-License-Identifier: MIT */
/* Bitcode of device/sample.c, for both */
	.section .rodata
	.globl	tess_gl_library_gpu, tess_gl_library_cpu, tess_gl_library_end
	.hidden	tess_gl_library_gpu, tess_gl_library_cpu, tess_gl_library_end
	.balign	16
tess_gl_library_gpu:
	.incbin	"sample-gpu.bc"
	.balign	4
tess_gl_library_cpu:
	.incbin	"sample-cpu.bc"
tess_gl_library_end:
	.section .note.GNU-stack,"",@progbits
