/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encoders of RISC-V instructions for tests, written from the instruction
 * formats and on purpose not from the engine's table.
 */
#ifndef TESS_MODEL_TESTS_RV_H
#define TESS_MODEL_TESTS_RV_H

#include <stdint.h>

enum { X0, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5, A6, A7 };

static inline uint32_t rv_r(uint32_t op, uint32_t f3, uint32_t f7, uint32_t rd, uint32_t rs1,
			    uint32_t rs2)
{
	return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}

static inline uint32_t rv_i(uint32_t op, uint32_t f3, uint32_t rd, uint32_t rs1, int32_t imm)
{
	return (uint32_t)imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}

static inline uint32_t rv_s(uint32_t op, uint32_t f3, uint32_t rs1, uint32_t rs2, int32_t imm)
{
	uint32_t u = (uint32_t)imm;

	return (u >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (u & 31) << 7 | op;
}

static inline uint32_t rv_b(uint32_t f3, uint32_t rs1, uint32_t rs2, int32_t off)
{
	uint32_t u = (uint32_t)off;

	return (u >> 12 & 1) << 31 | (u >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
	       (u >> 1 & 15) << 8 | (u >> 11 & 1) << 7 | 0x63;
}

static inline uint32_t rv_jal(uint32_t rd, int32_t off)
{
	uint32_t u = (uint32_t)off;

	return (u >> 20 & 1) << 31 | (u >> 1 & 1023) << 21 | (u >> 11 & 1) << 20 |
	       (u >> 12 & 255) << 12 | rd << 7 | 0x6f;
}

#define ADDI(rd, rs1, imm) rv_i(0x13, 0, rd, rs1, imm)
#define ANDI(rd, rs1, imm) rv_i(0x13, 7, rd, rs1, imm)
#define SLLI(rd, rs1, n) rv_i(0x13, 1, rd, rs1, n)
#define SRLI(rd, rs1, n) rv_i(0x13, 5, rd, rs1, n)
#define ADD(rd, rs1, rs2) rv_r(0x33, 0, 0, rd, rs1, rs2)
#define SUB(rd, rs1, rs2) rv_r(0x33, 0, 32, rd, rs1, rs2)
#define XOR(rd, rs1, rs2) rv_r(0x33, 4, 0, rd, rs1, rs2)
#define MUL(rd, rs1, rs2) rv_r(0x33, 0, 1, rd, rs1, rs2)
#define LUI(rd, imm20) ((uint32_t)(imm20) << 12 | (rd) << 7 | 0x37)
#define AUIPC(rd, imm20) ((uint32_t)(imm20) << 12 | (rd) << 7 | 0x17)
#define LW(rd, imm, rs1) rv_i(0x03, 2, rd, rs1, imm)
#define LD(rd, imm, rs1) rv_i(0x03, 3, rd, rs1, imm)
#define LBU(rd, imm, rs1) rv_i(0x03, 4, rd, rs1, imm)
#define SB(rs2, imm, rs1) rv_s(0x23, 0, rs1, rs2, imm)
#define SW(rs2, imm, rs1) rv_s(0x23, 2, rs1, rs2, imm)
#define SD(rs2, imm, rs1) rv_s(0x23, 3, rs1, rs2, imm)
#define BEQ(rs1, rs2, off) rv_b(0, rs1, rs2, off)
#define BNE(rs1, rs2, off) rv_b(1, rs1, rs2, off)
#define BLT(rs1, rs2, off) rv_b(4, rs1, rs2, off)
#define BLTU(rs1, rs2, off) rv_b(6, rs1, rs2, off)
#define JAL(rd, off) rv_jal(rd, off)
#define JALR(rd, rs1, imm) rv_i(0x67, 0, rd, rs1, imm)
#define RET JALR(X0, RA, 0)
#define NOP ADDI(X0, X0, 0)
#define CSRRW(rd, csr, rs1) rv_i(0x73, 1, rd, rs1, csr)
#define CSRRS(rd, csr, rs1) rv_i(0x73, 2, rd, rs1, csr)
#define CSRRC(rd, csr, rs1) rv_i(0x73, 3, rd, rs1, csr)
#define CSRRWI(rd, csr, imm) rv_i(0x73, 5, rd, imm, csr)
#define CSRRSI(rd, csr, imm) rv_i(0x73, 6, rd, imm, csr)
#define CSRRCI(rd, csr, imm) rv_i(0x73, 7, rd, imm, csr)
#define AMO(f5, f3, rd, rs2, rs1) rv_r(0x2f, f3, (f5) << 2, rd, rs1, rs2)
#define LR(f3, rd, rs1) AMO(2, f3, rd, 0, rs1)
#define SC(f3, rd, rs2, rs1) AMO(3, f3, rd, rs2, rs1)
#define TEX(fd, rs1, fs2) rv_r(0x2b, 0, 0, fd, rs1, fs2)
#define ROP(rd, rs1, rs2, fs3) rv_r(0x2b, 1, (fs3) << 2, rd, rs1, rs2)
#define ROP_BLK(rd, rs1, rs2, rs3) rv_r(0x2b, 2, (rs3) << 2, rd, rs1, rs2)
#define RAY_BOX(fd, rs1, fs2) rv_r(0x2b, 3, 0, fd, rs1, fs2)
#define RAY_TRI(fd, rs1, fs2) rv_r(0x2b, 4, 0, fd, rs1, fs2)
#define FENCE 0x0ff0000fu
#define FENCE_I 0x0000100fu
#define PAUSE 0x0100000fu
#define ECALL 0x00000073u
#define EBREAK 0x00100073u
#define BARRIER 0x0000000bu
#define EXIT 0x0000100bu

#endif
