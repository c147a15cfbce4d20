/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instruction table: RV64IMAFD + Zicsr + Zifencei + Zba + Zbb + Zbs, the
 * two custom-0 instructions and those of the units in custom-1. Decoder, disassembler, handler tables and
 * tests are all made from it; compressed instructions expand to its entries.
 *
 * X(id, mnemonic, match, mask, format, generator, semantics, attributes)
 *
 * format      which fields the instruction has (enum isa_format)
 * generator   macro (GEN_<generator>) of exec_*.c that makes its two handlers
 * semantics   what the generator is parametrised with
 * attributes  counters and block building, ISA_A_*
 */
#ifndef TESS_MODEL_ISA_INSN_H
#define TESS_MODEL_ISA_INSN_H

/* Ends a basic block and may change the pc: a control transfer. */
#define ISA_A_CTL 0x1u
/* Must be alone in its block (reads the running instruction count). */
#define ISA_A_SOLO 0x2u
/* Uses host floating point and its sticky flags. */
#define ISA_A_HOSTFP 0x4u
/* Has a rounding mode field. */
#define ISA_A_RM 0x8u
#define ISA_A_FLOPS(n) ((n) << 4)
#define ISA_A_LOAD(n) ((n) << 8)
#define ISA_A_STORE(n) ((n) << 12)
#define ISA_A_AMO(n) (ISA_A_LOAD(n) | ISA_A_STORE(n))
#define ISA_A_FP(n) (ISA_A_HOSTFP | ISA_A_RM | ISA_A_FLOPS(n))

#define ISA_ATTR_FLOPS(a) (((a) >> 4) & 0xf)
#define ISA_ATTR_LOAD(a) (((a) >> 8) & 0xf)
#define ISA_ATTR_STORE(a) (((a) >> 12) & 0xf)

enum isa_format {
	ISA_FMT_NONE, /* no operands */
	ISA_FMT_R, /* rd, rs1, rs2 */
	ISA_FMT_R1, /* rd, rs1 */
	ISA_FMT_I, /* rd, rs1, imm */
	ISA_FMT_SH, /* rd, rs1, shamt */
	ISA_FMT_LD, /* rd, imm(rs1) */
	ISA_FMT_ST, /* rs2, imm(rs1) */
	ISA_FMT_B, /* rs1, rs2, target */
	ISA_FMT_U, /* rd, imm20 */
	ISA_FMT_J, /* rd, target */
	ISA_FMT_CSR, /* rd, csr, rs1 */
	ISA_FMT_CSRI, /* rd, csr, uimm */
	ISA_FMT_AMO, /* rd, rs2, (rs1) */
	ISA_FMT_LR, /* rd, (rs1) */
	ISA_FMT_FLD, /* fd, imm(rs1) */
	ISA_FMT_FST, /* fs2, imm(rs1) */
	ISA_FMT_F1, /* fd, fs1 */
	ISA_FMT_F2, /* fd, fs1, fs2 */
	ISA_FMT_F3, /* fd, fs1, fs2, fs3 */
	ISA_FMT_FCMP, /* rd, fs1, fs2 */
	ISA_FMT_FTOX, /* rd, fs1 */
	ISA_FMT_XTOF, /* fd, rs1 */
	/* Units; fN+: a run of registers from fN on */
	ISA_FMT_TEX, /* fd+, (rs1), fs2+ */
	ISA_FMT_ROP, /* rd, (rs1), rs2, fs3+ */
	ISA_FMT_ROPB, /* rd, (rs1), rs2, (rs3) */
	ISA_FMT_BOX, /* fd, (rs1), fs2+ */
	ISA_FMT_TRI, /* fd+, (rs1), fs2+ */
};

/* Tables read by columns. */
/* clang-format off */

#define ISA_INSN_INT(X) \
X(lui,     "lui",     0x00000037, 0x0000007f, U,  LUI,   0,      0) \
X(auipc,   "auipc",   0x00000017, 0x0000007f, U,  AUIPC, 0,      0) \
X(addi,    "addi",    0x00000013, 0x0000707f, I,  RI,    add,    0) \
X(slti,    "slti",    0x00002013, 0x0000707f, I,  RI,    slt,    0) \
X(sltiu,   "sltiu",   0x00003013, 0x0000707f, I,  RI,    sltu,   0) \
X(xori,    "xori",    0x00004013, 0x0000707f, I,  RI,    xor,    0) \
X(ori,     "ori",     0x00006013, 0x0000707f, I,  RI,    or,     0) \
X(andi,    "andi",    0x00007013, 0x0000707f, I,  RI,    and,    0) \
X(slli,    "slli",    0x00001013, 0xfc00707f, SH, RI,    sll,    0) \
X(srli,    "srli",    0x00005013, 0xfc00707f, SH, RI,    srl,    0) \
X(srai,    "srai",    0x40005013, 0xfc00707f, SH, RI,    sra,    0) \
X(add,     "add",     0x00000033, 0xfe00707f, R,  RR,    add,    0) \
X(sub,     "sub",     0x40000033, 0xfe00707f, R,  RR,    sub,    0) \
X(sll,     "sll",     0x00001033, 0xfe00707f, R,  RR,    sll,    0) \
X(slt,     "slt",     0x00002033, 0xfe00707f, R,  RR,    slt,    0) \
X(sltu,    "sltu",    0x00003033, 0xfe00707f, R,  RR,    sltu,   0) \
X(xor,     "xor",     0x00004033, 0xfe00707f, R,  RR,    xor,    0) \
X(srl,     "srl",     0x00005033, 0xfe00707f, R,  RR,    srl,    0) \
X(sra,     "sra",     0x40005033, 0xfe00707f, R,  RR,    sra,    0) \
X(or,      "or",      0x00006033, 0xfe00707f, R,  RR,    or,     0) \
X(and,     "and",     0x00007033, 0xfe00707f, R,  RR,    and,    0) \
X(addiw,   "addiw",   0x0000001b, 0x0000707f, I,  RI,    addw,   0) \
X(slliw,   "slliw",   0x0000101b, 0xfe00707f, SH, RI,    sllw,   0) \
X(srliw,   "srliw",   0x0000501b, 0xfe00707f, SH, RI,    srlw,   0) \
X(sraiw,   "sraiw",   0x4000501b, 0xfe00707f, SH, RI,    sraw,   0) \
X(addw,    "addw",    0x0000003b, 0xfe00707f, R,  RR,    addw,   0) \
X(subw,    "subw",    0x4000003b, 0xfe00707f, R,  RR,    subw,   0) \
X(sllw,    "sllw",    0x0000103b, 0xfe00707f, R,  RR,    sllw,   0) \
X(srlw,    "srlw",    0x0000503b, 0xfe00707f, R,  RR,    srlw,   0) \
X(sraw,    "sraw",    0x4000503b, 0xfe00707f, R,  RR,    sraw,   0) \
X(mul,     "mul",     0x02000033, 0xfe00707f, R,  RR,    mul,    0) \
X(mulh,    "mulh",    0x02001033, 0xfe00707f, R,  RR,    mulh,   0) \
X(mulhsu,  "mulhsu",  0x02002033, 0xfe00707f, R,  RR,    mulhsu, 0) \
X(mulhu,   "mulhu",   0x02003033, 0xfe00707f, R,  RR,    mulhu,  0) \
X(div,     "div",     0x02004033, 0xfe00707f, R,  RR,    div,    0) \
X(divu,    "divu",    0x02005033, 0xfe00707f, R,  RR,    divu,   0) \
X(rem,     "rem",     0x02006033, 0xfe00707f, R,  RR,    rem,    0) \
X(remu,    "remu",    0x02007033, 0xfe00707f, R,  RR,    remu,   0) \
X(mulw,    "mulw",    0x0200003b, 0xfe00707f, R,  RR,    mulw,   0) \
X(divw,    "divw",    0x0200403b, 0xfe00707f, R,  RR,    divw,   0) \
X(divuw,   "divuw",   0x0200503b, 0xfe00707f, R,  RR,    divuw,  0) \
X(remw,    "remw",    0x0200603b, 0xfe00707f, R,  RR,    remw,   0) \
X(remuw,   "remuw",   0x0200703b, 0xfe00707f, R,  RR,    remuw,  0) \
X(add_uw,  "add.uw",  0x0800003b, 0xfe00707f, R,  RR,    add_uw, 0) \
X(sh1add,  "sh1add",  0x20002033, 0xfe00707f, R,  RR,    sh1add, 0) \
X(sh2add,  "sh2add",  0x20004033, 0xfe00707f, R,  RR,    sh2add, 0) \
X(sh3add,  "sh3add",  0x20006033, 0xfe00707f, R,  RR,    sh3add, 0) \
X(sh1add_uw, "sh1add.uw", 0x2000203b, 0xfe00707f, R, RR, sh1add_uw, 0) \
X(sh2add_uw, "sh2add.uw", 0x2000403b, 0xfe00707f, R, RR, sh2add_uw, 0) \
X(sh3add_uw, "sh3add.uw", 0x2000603b, 0xfe00707f, R, RR, sh3add_uw, 0) \
X(slli_uw, "slli.uw", 0x0800101b, 0xfc00707f, SH, RI,    sll_uw, 0) \
X(andn,    "andn",    0x40007033, 0xfe00707f, R,  RR,    andn,   0) \
X(orn,     "orn",     0x40006033, 0xfe00707f, R,  RR,    orn,    0) \
X(xnor,    "xnor",    0x40004033, 0xfe00707f, R,  RR,    xnor,   0) \
X(clz,     "clz",     0x60001013, 0xfff0707f, R1, R1,    clz,    0) \
X(ctz,     "ctz",     0x60101013, 0xfff0707f, R1, R1,    ctz,    0) \
X(cpop,    "cpop",    0x60201013, 0xfff0707f, R1, R1,    cpop,   0) \
X(clzw,    "clzw",    0x6000101b, 0xfff0707f, R1, R1,    clzw,   0) \
X(ctzw,    "ctzw",    0x6010101b, 0xfff0707f, R1, R1,    ctzw,   0) \
X(cpopw,   "cpopw",   0x6020101b, 0xfff0707f, R1, R1,    cpopw,  0) \
X(max,     "max",     0x0a006033, 0xfe00707f, R,  RR,    max,    0) \
X(maxu,    "maxu",    0x0a007033, 0xfe00707f, R,  RR,    maxu,   0) \
X(min,     "min",     0x0a004033, 0xfe00707f, R,  RR,    min,    0) \
X(minu,    "minu",    0x0a005033, 0xfe00707f, R,  RR,    minu,   0) \
X(sext_b,  "sext.b",  0x60401013, 0xfff0707f, R1, R1,    sext_b, 0) \
X(sext_h,  "sext.h",  0x60501013, 0xfff0707f, R1, R1,    sext_h, 0) \
X(zext_h,  "zext.h",  0x0800403b, 0xfff0707f, R1, R1,    zext_h, 0) \
X(rol,     "rol",     0x60001033, 0xfe00707f, R,  RR,    rol,    0) \
X(ror,     "ror",     0x60005033, 0xfe00707f, R,  RR,    ror,    0) \
X(rori,    "rori",    0x60005013, 0xfc00707f, SH, RI,    ror,    0) \
X(rolw,    "rolw",    0x6000103b, 0xfe00707f, R,  RR,    rolw,   0) \
X(rorw,    "rorw",    0x6000503b, 0xfe00707f, R,  RR,    rorw,   0) \
X(roriw,   "roriw",   0x6000501b, 0xfe00707f, SH, RI,    rorw,   0) \
X(orc_b,   "orc.b",   0x28705013, 0xfff0707f, R1, R1,    orc_b,  0) \
X(rev8,    "rev8",    0x6b805013, 0xfff0707f, R1, R1,    rev8,   0) \
X(bclr,    "bclr",    0x48001033, 0xfe00707f, R,  RR,    bclr,   0) \
X(bclri,   "bclri",   0x48001013, 0xfc00707f, SH, RI,    bclr,   0) \
X(bext,    "bext",    0x48005033, 0xfe00707f, R,  RR,    bext,   0) \
X(bexti,   "bexti",   0x48005013, 0xfc00707f, SH, RI,    bext,   0) \
X(binv,    "binv",    0x68001033, 0xfe00707f, R,  RR,    binv,   0) \
X(binvi,   "binvi",   0x68001013, 0xfc00707f, SH, RI,    binv,   0) \
X(bset,    "bset",    0x28001033, 0xfe00707f, R,  RR,    bset,   0) \
X(bseti,   "bseti",   0x28001013, 0xfc00707f, SH, RI,    bset,   0)

#define ISA_INSN_MEM(X) \
X(lb,      "lb",      0x00000003, 0x0000707f, LD,  LOAD,  int8_t,   ISA_A_LOAD(1)) \
X(lh,      "lh",      0x00001003, 0x0000707f, LD,  LOAD,  int16_t,  ISA_A_LOAD(2)) \
X(lw,      "lw",      0x00002003, 0x0000707f, LD,  LOAD,  int32_t,  ISA_A_LOAD(4)) \
X(ld,      "ld",      0x00003003, 0x0000707f, LD,  LOAD,  int64_t,  ISA_A_LOAD(8)) \
X(lbu,     "lbu",     0x00004003, 0x0000707f, LD,  LOAD,  uint8_t,  ISA_A_LOAD(1)) \
X(lhu,     "lhu",     0x00005003, 0x0000707f, LD,  LOAD,  uint16_t, ISA_A_LOAD(2)) \
X(lwu,     "lwu",     0x00006003, 0x0000707f, LD,  LOAD,  uint32_t, ISA_A_LOAD(4)) \
X(sb,      "sb",      0x00000023, 0x0000707f, ST,  STORE, uint8_t,  ISA_A_STORE(1)) \
X(sh,      "sh",      0x00001023, 0x0000707f, ST,  STORE, uint16_t, ISA_A_STORE(2)) \
X(sw,      "sw",      0x00002023, 0x0000707f, ST,  STORE, uint32_t, ISA_A_STORE(4)) \
X(sd,      "sd",      0x00003023, 0x0000707f, ST,  STORE, uint64_t, ISA_A_STORE(8)) \
X(flw,     "flw",     0x00002007, 0x0000707f, FLD, FLOAD, uint32_t, ISA_A_LOAD(4)) \
X(fld,     "fld",     0x00003007, 0x0000707f, FLD, FLOAD, uint64_t, ISA_A_LOAD(8)) \
X(fsw,     "fsw",     0x00002027, 0x0000707f, FST, FSTORE, uint32_t, ISA_A_STORE(4)) \
X(fsd,     "fsd",     0x00003027, 0x0000707f, FST, FSTORE, uint64_t, ISA_A_STORE(8)) \
X(lr_w,    "lr.w",    0x1000202f, 0xf9f0707f, LR,  LR,    int32_t,  ISA_A_LOAD(4)) \
X(lr_d,    "lr.d",    0x1000302f, 0xf9f0707f, LR,  LR,    int64_t,  ISA_A_LOAD(8)) \
X(sc_w,    "sc.w",    0x1800202f, 0xf800707f, AMO, SC,    int32_t,  ISA_A_STORE(4)) \
X(sc_d,    "sc.d",    0x1800302f, 0xf800707f, AMO, SC,    int64_t,  ISA_A_STORE(8)) \
X(amoswap_w, "amoswap.w", 0x0800202f, 0xf800707f, AMO, AMO, swap_32, ISA_A_AMO(4)) \
X(amoadd_w,  "amoadd.w",  0x0000202f, 0xf800707f, AMO, AMO, add_32,  ISA_A_AMO(4)) \
X(amoxor_w,  "amoxor.w",  0x2000202f, 0xf800707f, AMO, AMO, xor_32,  ISA_A_AMO(4)) \
X(amoand_w,  "amoand.w",  0x6000202f, 0xf800707f, AMO, AMO, and_32,  ISA_A_AMO(4)) \
X(amoor_w,   "amoor.w",   0x4000202f, 0xf800707f, AMO, AMO, or_32,   ISA_A_AMO(4)) \
X(amomin_w,  "amomin.w",  0x8000202f, 0xf800707f, AMO, AMO, min_32,  ISA_A_AMO(4)) \
X(amomax_w,  "amomax.w",  0xa000202f, 0xf800707f, AMO, AMO, max_32,  ISA_A_AMO(4)) \
X(amominu_w, "amominu.w", 0xc000202f, 0xf800707f, AMO, AMO, minu_32, ISA_A_AMO(4)) \
X(amomaxu_w, "amomaxu.w", 0xe000202f, 0xf800707f, AMO, AMO, maxu_32, ISA_A_AMO(4)) \
X(amoswap_d, "amoswap.d", 0x0800302f, 0xf800707f, AMO, AMO, swap_64, ISA_A_AMO(8)) \
X(amoadd_d,  "amoadd.d",  0x0000302f, 0xf800707f, AMO, AMO, add_64,  ISA_A_AMO(8)) \
X(amoxor_d,  "amoxor.d",  0x2000302f, 0xf800707f, AMO, AMO, xor_64,  ISA_A_AMO(8)) \
X(amoand_d,  "amoand.d",  0x6000302f, 0xf800707f, AMO, AMO, and_64,  ISA_A_AMO(8)) \
X(amoor_d,   "amoor.d",   0x4000302f, 0xf800707f, AMO, AMO, or_64,   ISA_A_AMO(8)) \
X(amomin_d,  "amomin.d",  0x8000302f, 0xf800707f, AMO, AMO, min_64,  ISA_A_AMO(8)) \
X(amomax_d,  "amomax.d",  0xa000302f, 0xf800707f, AMO, AMO, max_64,  ISA_A_AMO(8)) \
X(amominu_d, "amominu.d", 0xc000302f, 0xf800707f, AMO, AMO, minu_64, ISA_A_AMO(8)) \
X(amomaxu_d, "amomaxu.d", 0xe000302f, 0xf800707f, AMO, AMO, maxu_64, ISA_A_AMO(8))

/* pause is a fence with a reserved operand set, so it comes first. */
#define ISA_INSN_CTL(X) \
X(jal,     "jal",     0x0000006f, 0x0000007f, J,    CTL,    jal,    ISA_A_CTL) \
X(jalr,    "jalr",    0x00000067, 0x0000707f, LD,   JALR,   jalr,   ISA_A_CTL) \
X(beq,     "beq",     0x00000063, 0x0000707f, B,    BRANCH, eq,     ISA_A_CTL) \
X(bne,     "bne",     0x00001063, 0x0000707f, B,    BRANCH, ne,     ISA_A_CTL) \
X(blt,     "blt",     0x00004063, 0x0000707f, B,    BRANCH, lt,     ISA_A_CTL) \
X(bge,     "bge",     0x00005063, 0x0000707f, B,    BRANCH, ge,     ISA_A_CTL) \
X(bltu,    "bltu",    0x00006063, 0x0000707f, B,    BRANCH, ltu,    ISA_A_CTL) \
X(bgeu,    "bgeu",    0x00007063, 0x0000707f, B,    BRANCH, geu,    ISA_A_CTL) \
X(pause,   "pause",   0x0100000f, 0xffffffff, NONE, CTL,    pause,  ISA_A_CTL) \
X(fence,   "fence",   0x0000000f, 0x0000707f, NONE, CTL,    fence,  0) \
X(fence_i, "fence.i", 0x0000100f, 0x0000707f, NONE, CTL,    fence_i, ISA_A_CTL) \
X(ecall,   "ecall",   0x00000073, 0xffffffff, NONE, CTL,    ecall,  ISA_A_CTL) \
X(ebreak,  "ebreak",  0x00100073, 0xffffffff, NONE, CTL,    ebreak, ISA_A_CTL) \
X(csrrw,   "csrrw",   0x00001073, 0x0000707f, CSR,  CTL,    csr,    0) \
X(csrrs,   "csrrs",   0x00002073, 0x0000707f, CSR,  CTL,    csr,    0) \
X(csrrc,   "csrrc",   0x00003073, 0x0000707f, CSR,  CTL,    csr,    0) \
X(csrrwi,  "csrrwi",  0x00005073, 0x0000707f, CSRI, CTL,    csr,    0) \
X(csrrsi,  "csrrsi",  0x00006073, 0x0000707f, CSRI, CTL,    csr,    0) \
X(csrrci,  "csrrci",  0x00007073, 0x0000707f, CSRI, CTL,    csr,    0) \
X(barrier, "tess.barrier", 0x0000000b, 0xffffffff, NONE, CTL, barrier, ISA_A_CTL) \
X(exit,    "tess.exit", 0x0000100b, 0xffffffff, NONE, CTL,  exit,   ISA_A_CTL) \
X(illegal, "illegal", 0x00000000, 0xffffffff, NONE, CTL,    illegal, ISA_A_CTL)

#define ISA_INSN_FPARITH(X) \
X(fmadd_s,  "fmadd.s",  0x00000043, 0x0600007f, F3, FMA32, madd, ISA_A_FP(2)) \
X(fmsub_s,  "fmsub.s",  0x00000047, 0x0600007f, F3, FMA32, msub, ISA_A_FP(2)) \
X(fnmsub_s, "fnmsub.s", 0x0000004b, 0x0600007f, F3, FMA32, nmsub, ISA_A_FP(2)) \
X(fnmadd_s, "fnmadd.s", 0x0000004f, 0x0600007f, F3, FMA32, nmadd, ISA_A_FP(2)) \
X(fadd_s,   "fadd.s",   0x00000053, 0xfe00007f, F2, FP32,  add,  ISA_A_FP(1)) \
X(fsub_s,   "fsub.s",   0x08000053, 0xfe00007f, F2, FP32,  sub,  ISA_A_FP(1)) \
X(fmul_s,   "fmul.s",   0x10000053, 0xfe00007f, F2, FP32,  mul,  ISA_A_FP(1)) \
X(fdiv_s,   "fdiv.s",   0x18000053, 0xfe00007f, F2, FP32,  div,  ISA_A_FP(1)) \
X(fsqrt_s,  "fsqrt.s",  0x58000053, 0xfff0007f, F1, FP32,  sqrt, ISA_A_FP(1)) \
X(fmadd_d,  "fmadd.d",  0x02000043, 0x0600007f, F3, FMA64, madd, ISA_A_FP(2)) \
X(fmsub_d,  "fmsub.d",  0x02000047, 0x0600007f, F3, FMA64, msub, ISA_A_FP(2)) \
X(fnmsub_d, "fnmsub.d", 0x0200004b, 0x0600007f, F3, FMA64, nmsub, ISA_A_FP(2)) \
X(fnmadd_d, "fnmadd.d", 0x0200004f, 0x0600007f, F3, FMA64, nmadd, ISA_A_FP(2)) \
X(fadd_d,   "fadd.d",   0x02000053, 0xfe00007f, F2, FP64,  add,  ISA_A_FP(1)) \
X(fsub_d,   "fsub.d",   0x0a000053, 0xfe00007f, F2, FP64,  sub,  ISA_A_FP(1)) \
X(fmul_d,   "fmul.d",   0x12000053, 0xfe00007f, F2, FP64,  mul,  ISA_A_FP(1)) \
X(fdiv_d,   "fdiv.d",   0x1a000053, 0xfe00007f, F2, FP64,  div,  ISA_A_FP(1)) \
X(fsqrt_d,  "fsqrt.d",  0x5a000053, 0xfff0007f, F1, FP64,  sqrt, ISA_A_FP(1))

#define ISA_INSN_FPMISC(X) \
X(fsgnj_s,  "fsgnj.s",  0x20000053, 0xfe00707f, F2, FF32, sgnj,  0) \
X(fsgnjn_s, "fsgnjn.s", 0x20001053, 0xfe00707f, F2, FF32, sgnjn, 0) \
X(fsgnjx_s, "fsgnjx.s", 0x20002053, 0xfe00707f, F2, FF32, sgnjx, 0) \
X(fmin_s,   "fmin.s",   0x28000053, 0xfe00707f, F2, FF32, min,   ISA_A_FLOPS(1)) \
X(fmax_s,   "fmax.s",   0x28001053, 0xfe00707f, F2, FF32, max,   ISA_A_FLOPS(1)) \
X(feq_s,    "feq.s",    0xa0002053, 0xfe00707f, FCMP, FX32, eq,  ISA_A_FLOPS(1)) \
X(flt_s,    "flt.s",    0xa0001053, 0xfe00707f, FCMP, FX32, lt,  ISA_A_FLOPS(1)) \
X(fle_s,    "fle.s",    0xa0000053, 0xfe00707f, FCMP, FX32, le,  ISA_A_FLOPS(1)) \
X(fclass_s, "fclass.s", 0xe0001053, 0xfff0707f, FTOX, FX32, class, 0) \
X(fmv_x_w,  "fmv.x.w",  0xe0000053, 0xfff0707f, FTOX, MV, x_w,   0) \
X(fmv_w_x,  "fmv.w.x",  0xf0000053, 0xfff0707f, XTOF, MV, w_x,   0) \
X(fsgnj_d,  "fsgnj.d",  0x22000053, 0xfe00707f, F2, FF64, sgnj,  0) \
X(fsgnjn_d, "fsgnjn.d", 0x22001053, 0xfe00707f, F2, FF64, sgnjn, 0) \
X(fsgnjx_d, "fsgnjx.d", 0x22002053, 0xfe00707f, F2, FF64, sgnjx, 0) \
X(fmin_d,   "fmin.d",   0x2a000053, 0xfe00707f, F2, FF64, min,   ISA_A_FLOPS(1)) \
X(fmax_d,   "fmax.d",   0x2a001053, 0xfe00707f, F2, FF64, max,   ISA_A_FLOPS(1)) \
X(feq_d,    "feq.d",    0xa2002053, 0xfe00707f, FCMP, FX64, eq,  ISA_A_FLOPS(1)) \
X(flt_d,    "flt.d",    0xa2001053, 0xfe00707f, FCMP, FX64, lt,  ISA_A_FLOPS(1)) \
X(fle_d,    "fle.d",    0xa2000053, 0xfe00707f, FCMP, FX64, le,  ISA_A_FLOPS(1)) \
X(fclass_d, "fclass.d", 0xe2001053, 0xfff0707f, FTOX, FX64, class, 0) \
X(fmv_x_d,  "fmv.x.d",  0xe2000053, 0xfff0707f, FTOX, MV, x_d,   0) \
X(fmv_d_x,  "fmv.d.x",  0xf2000053, 0xfff0707f, XTOF, MV, d_x,   0) \
X(fcvt_w_s,  "fcvt.w.s",  0xc0000053, 0xfff0007f, FTOX, F32X, i32, ISA_A_RM) \
X(fcvt_wu_s, "fcvt.wu.s", 0xc0100053, 0xfff0007f, FTOX, F32X, u32, ISA_A_RM) \
X(fcvt_l_s,  "fcvt.l.s",  0xc0200053, 0xfff0007f, FTOX, F32X, i64, ISA_A_RM) \
X(fcvt_lu_s, "fcvt.lu.s", 0xc0300053, 0xfff0007f, FTOX, F32X, u64, ISA_A_RM) \
X(fcvt_w_d,  "fcvt.w.d",  0xc2000053, 0xfff0007f, FTOX, F64X, i32, ISA_A_RM) \
X(fcvt_wu_d, "fcvt.wu.d", 0xc2100053, 0xfff0007f, FTOX, F64X, u32, ISA_A_RM) \
X(fcvt_l_d,  "fcvt.l.d",  0xc2200053, 0xfff0007f, FTOX, F64X, i64, ISA_A_RM) \
X(fcvt_lu_d, "fcvt.lu.d", 0xc2300053, 0xfff0007f, FTOX, F64X, u64, ISA_A_RM) \
X(fcvt_s_w,  "fcvt.s.w",  0xd0000053, 0xfff0007f, XTOF, XF32, i32, ISA_A_RM) \
X(fcvt_s_wu, "fcvt.s.wu", 0xd0100053, 0xfff0007f, XTOF, XF32, u32, ISA_A_RM) \
X(fcvt_s_l,  "fcvt.s.l",  0xd0200053, 0xfff0007f, XTOF, XF32, i64, ISA_A_RM) \
X(fcvt_s_lu, "fcvt.s.lu", 0xd0300053, 0xfff0007f, XTOF, XF32, u64, ISA_A_RM) \
X(fcvt_d_w,  "fcvt.d.w",  0xd2000053, 0xfff0007f, XTOF, XF64, i32, ISA_A_RM) \
X(fcvt_d_wu, "fcvt.d.wu", 0xd2100053, 0xfff0007f, XTOF, XF64, u32, ISA_A_RM) \
X(fcvt_d_l,  "fcvt.d.l",  0xd2200053, 0xfff0007f, XTOF, XF64, i64, ISA_A_RM) \
X(fcvt_d_lu, "fcvt.d.lu", 0xd2300053, 0xfff0007f, XTOF, XF64, u64, ISA_A_RM) \
X(fcvt_s_d,  "fcvt.s.d",  0x40100053, 0xfff0007f, F1, F64F32, 0, ISA_A_RM) \
X(fcvt_d_s,  "fcvt.d.s",  0x42000053, 0xfff0007f, F1, F32F64, 0, ISA_A_RM)

#define ISA_INSN_UNIT(X) \
X(tex,     "tess.tex",     0x0000002b, 0xfe00707f, TEX,  UNIT, TEX, 0) \
X(rop,     "tess.rop",     0x0000102b, 0x0600707f, ROP,  UNIT, ROP, 0) \
X(rop_blk, "tess.rop.blk", 0x0000202b, 0x0600707f, ROPB, UNIT, ROP, 0) \
X(ray_box, "tess.ray.box", 0x0000302b, 0xfe00707f, BOX,  UNIT, RAY, 0) \
X(ray_tri, "tess.ray.tri", 0x0000402b, 0xfe00707f, TRI,  UNIT, RAY, 0)

/* clang-format on */

#define ISA_INSN(X)         \
	ISA_INSN_INT(X)     \
	ISA_INSN_MEM(X)     \
	ISA_INSN_CTL(X)     \
	ISA_INSN_FPARITH(X) \
	ISA_INSN_FPMISC(X)  \
	ISA_INSN_UNIT(X)

enum isa_op {
#define X(id, mnemonic, match, mask, format, generator, semantics, attr) ISA_OP_##id,
	ISA_INSN(X)
#undef X
		ISA_NR_OPS
};

#endif
