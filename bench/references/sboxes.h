/* sboxes.h - S-boxes as circuits of two-input gates, one statement a gate, for the plain C references. Written out from the
 * netlists of crates/usuba-lower/circuits/ (sources and licences there); wires are named as in the netlists, the most
 * significant bit of input and output first. */
#ifndef SBOXES_H
#define SBOXES_H

#include <stdint.h>

/* aes: 113 gates; in place. */
static inline void aes_sbox(uint64_t *p0, uint64_t *p1, uint64_t *p2, uint64_t *p3, uint64_t *p4, uint64_t *p5, uint64_t *p6, uint64_t *p7) {
    const uint64_t x0 = *p0, x1 = *p1, x2 = *p2, x3 = *p3, x4 = *p4, x5 = *p5, x6 = *p6, x7 = *p7;
    const uint64_t x8 = x3 ^ x5;
    const uint64_t x9 = x0 ^ x6;
    const uint64_t x10 = x0 ^ x3;
    const uint64_t x11 = x0 ^ x5;
    const uint64_t x12 = x1 ^ x2;
    const uint64_t x13 = x7 ^ x12;
    const uint64_t x14 = x3 ^ x13;
    const uint64_t x15 = x8 ^ x9;
    const uint64_t x16 = x0 ^ x13;
    const uint64_t x17 = x6 ^ x13;
    const uint64_t x18 = x11 ^ x17;
    const uint64_t x19 = x4 ^ x15;
    const uint64_t x20 = x5 ^ x19;
    const uint64_t x21 = x1 ^ x19;
    const uint64_t x22 = x7 ^ x20;
    const uint64_t x23 = x12 ^ x20;
    const uint64_t x24 = x10 ^ x21;
    const uint64_t x25 = x7 ^ x24;
    const uint64_t x26 = x23 ^ x24;
    const uint64_t x27 = x11 ^ x23;
    const uint64_t x28 = x12 ^ x24;
    const uint64_t x29 = x9 ^ x28;
    const uint64_t x30 = x0 ^ x28;
    const uint64_t x31 = x15 & x20;
    const uint64_t x32 = x18 & x22;
    const uint64_t x33 = x31 ^ x32;
    const uint64_t x34 = x7 & x14;
    const uint64_t x35 = x31 ^ x34;
    const uint64_t x36 = x9 & x28;
    const uint64_t x37 = x13 & x17;
    const uint64_t x38 = x36 ^ x37;
    const uint64_t x39 = x16 & x25;
    const uint64_t x40 = x36 ^ x39;
    const uint64_t x41 = x10 & x24;
    const uint64_t x42 = x8 & x26;
    const uint64_t x43 = x41 ^ x42;
    const uint64_t x44 = x11 & x23;
    const uint64_t x45 = x41 ^ x44;
    const uint64_t x46 = x21 ^ x33;
    const uint64_t x47 = x35 ^ x45;
    const uint64_t x48 = x38 ^ x43;
    const uint64_t x49 = x40 ^ x45;
    const uint64_t x50 = x43 ^ x46;
    const uint64_t x51 = x27 ^ x47;
    const uint64_t x52 = x29 ^ x48;
    const uint64_t x53 = x30 ^ x49;
    const uint64_t x54 = x50 ^ x51;
    const uint64_t x55 = x50 & x52;
    const uint64_t x56 = x53 ^ x55;
    const uint64_t x57 = x54 & x56;
    const uint64_t x58 = x51 ^ x57;
    const uint64_t x59 = x52 ^ x53;
    const uint64_t x60 = x51 ^ x55;
    const uint64_t x61 = x59 & x60;
    const uint64_t x62 = x53 ^ x61;
    const uint64_t x63 = x52 ^ x62;
    const uint64_t x64 = x56 ^ x62;
    const uint64_t x65 = x53 & x64;
    const uint64_t x66 = x63 ^ x65;
    const uint64_t x67 = x56 ^ x65;
    const uint64_t x68 = x58 & x67;
    const uint64_t x69 = x54 ^ x68;
    const uint64_t x70 = x66 ^ x69;
    const uint64_t x71 = x58 ^ x62;
    const uint64_t x72 = x58 ^ x69;
    const uint64_t x73 = x62 ^ x66;
    const uint64_t x74 = x70 ^ x71;
    const uint64_t x75 = x20 & x73;
    const uint64_t x76 = x22 & x66;
    const uint64_t x77 = x7 & x62;
    const uint64_t x78 = x28 & x72;
    const uint64_t x79 = x13 & x69;
    const uint64_t x80 = x25 & x58;
    const uint64_t x81 = x24 & x71;
    const uint64_t x82 = x26 & x74;
    const uint64_t x83 = x23 & x70;
    const uint64_t x84 = x15 & x73;
    const uint64_t x85 = x18 & x66;
    const uint64_t x86 = x14 & x62;
    const uint64_t x87 = x9 & x72;
    const uint64_t x88 = x17 & x69;
    const uint64_t x89 = x16 & x58;
    const uint64_t x90 = x10 & x71;
    const uint64_t x91 = x8 & x74;
    const uint64_t x92 = x11 & x70;
    const uint64_t x93 = x90 ^ x91;
    const uint64_t x94 = x85 ^ x93;
    const uint64_t x95 = x84 ^ x94;
    const uint64_t x96 = x75 ^ x77;
    const uint64_t x97 = x75 ^ x76;
    const uint64_t x98 = x78 ^ x79;
    const uint64_t x99 = x87 ^ x96;
    const uint64_t x100 = x82 ^ x98;
    const uint64_t x101 = x83 ^ x99;
    const uint64_t x102 = x100 ^ x101;
    const uint64_t x103 = x97 ^ x98;
    const uint64_t x104 = x78 ^ x80;
    const uint64_t x105 = x88 ^ x93;
    const uint64_t x106 = x96 ^ x104;
    const uint64_t x107 = x95 ^ x103;
    const uint64_t x108 = x81 ^ x100;
    const uint64_t x109 = x89 ^ x102;
    const uint64_t x110 = x105 ^ x106;
    const uint64_t x111 = ~(x87 ^ x110);
    const uint64_t x112 = x90 ^ x108;
    const uint64_t x113 = x86 ^ x94;
    const uint64_t x114 = x95 ^ x108;
    const uint64_t x115 = ~(x102 ^ x110);
    const uint64_t x116 = x106 ^ x107;
    const uint64_t x117 = ~(x107 ^ x108);
    const uint64_t x118 = x109 ^ x112;
    const uint64_t x119 = ~(x92 ^ x118);
    const uint64_t x120 = x109 ^ x113;
    *p0 = x114;
    *p1 = x117;
    *p2 = x119;
    *p3 = x107;
    *p4 = x116;
    *p5 = x120;
    *p6 = x115;
    *p7 = x111;
}

/* serpent_s0: 14 gates; in place. */
static inline void serpent_s0(uint32_t *p0, uint32_t *p1, uint32_t *p2, uint32_t *p3) {
    const uint32_t x0 = *p0, x1 = *p1, x2 = *p2, x3 = *p3;
    const uint32_t x4 = x3 | x0;
    const uint32_t x5 = x2 ^ x4;
    const uint32_t x6 = x0 ^ x3;
    const uint32_t x7 = x3 ^ x1;
    const uint32_t x8 = x1 ^ x5;
    const uint32_t x9 = x5 & x6;
    const uint32_t x10 = x7 ^ x9;
    const uint32_t x11 = ~x5;
    const uint32_t x12 = x6 ^ x11;
    const uint32_t x13 = x10 | x8;
    const uint32_t x14 = x12 ^ x13;
    const uint32_t x15 = x14 | x10;
    const uint32_t x16 = x11 ^ x15;
    const uint32_t x17 = x10 ^ x14;
    *p0 = x8;
    *p1 = x16;
    *p2 = x17;
    *p3 = x14;
}

/* serpent_s1: 14 gates; in place. */
static inline void serpent_s1(uint32_t *p0, uint32_t *p1, uint32_t *p2, uint32_t *p3) {
    const uint32_t x0 = *p0, x1 = *p1, x2 = *p2, x3 = *p3;
    const uint32_t x4 = ~x2;
    const uint32_t x5 = x4 | x3;
    const uint32_t x6 = x1 ^ x5;
    const uint32_t x7 = x4 | x0;
    const uint32_t x8 = x3 ^ x7;
    const uint32_t x9 = x8 | x0;
    const uint32_t x10 = x2 ^ x9;
    const uint32_t x11 = x0 ^ x6;
    const uint32_t x12 = x6 ^ x10;
    const uint32_t x13 = x10 & ~x11;
    const uint32_t x14 = x8 ^ x13;
    const uint32_t x15 = x12 & x14;
    const uint32_t x16 = x10 ^ x15;
    const uint32_t x17 = x12 ^ x14;
    *p0 = x17;
    *p1 = x11;
    *p2 = x14;
    *p3 = x16;
}

/* serpent_s2: 13 gates; in place. */
static inline void serpent_s2(uint32_t *p0, uint32_t *p1, uint32_t *p2, uint32_t *p3) {
    const uint32_t x0 = *p0, x1 = *p1, x2 = *p2, x3 = *p3;
    const uint32_t x4 = x3 & x1;
    const uint32_t x5 = x0 ^ x4;
    const uint32_t x6 = x5 & x2;
    const uint32_t x7 = x3 ^ x6;
    const uint32_t x8 = x2 ^ x1;
    const uint32_t x9 = x5 & ~x7;
    const uint32_t x10 = x1 ^ x9;
    const uint32_t x11 = x7 ^ x8;
    const uint32_t x12 = x8 ^ x5;
    const uint32_t x13 = x11 | x10;
    const uint32_t x14 = x5 ^ x13;
    const uint32_t x15 = x10 ^ x14;
    const uint32_t x16 = ~x11;
    *p0 = x16;
    *p1 = x15;
    *p2 = x14;
    *p3 = x12;
}

/* serpent_s3: 14 gates; in place. */
static inline void serpent_s3(uint32_t *p0, uint32_t *p1, uint32_t *p2, uint32_t *p3) {
    const uint32_t x0 = *p0, x1 = *p1, x2 = *p2, x3 = *p3;
    const uint32_t x4 = x2 & ~x0;
    const uint32_t x5 = x1 ^ x4;
    const uint32_t x6 = x2 ^ x3;
    const uint32_t x7 = x3 & x5;
    const uint32_t x8 = x6 | x7;
    const uint32_t x9 = x0 ^ x8;
    const uint32_t x10 = x9 | x6;
    const uint32_t x11 = x3 ^ x10;
    const uint32_t x12 = x9 ^ x5;
    const uint32_t x13 = x11 & ~x5;
    const uint32_t x14 = x6 ^ x13;
    const uint32_t x15 = x14 & x12;
    const uint32_t x16 = x11 ^ x15;
    const uint32_t x17 = x5 ^ x15;
    *p0 = x17;
    *p1 = x12;
    *p2 = x16;
    *p3 = x14;
}

/* serpent_s4: 15 gates; in place. */
static inline void serpent_s4(uint32_t *p0, uint32_t *p1, uint32_t *p2, uint32_t *p3) {
    const uint32_t x0 = *p0, x1 = *p1, x2 = *p2, x3 = *p3;
    const uint32_t x4 = x3 ^ x0;
    const uint32_t x5 = x4 & x2;
    const uint32_t x6 = x0 ^ x5;
    const uint32_t x7 = x4 & x6;
    const uint32_t x8 = x1 ^ x7;
    const uint32_t x9 = x2 & ~x8;
    const uint32_t x10 = x4 ^ x9;
    const uint32_t x11 = x2 ^ x8;
    const uint32_t x12 = x8 ^ x10;
    const uint32_t x13 = x11 | x6;
    const uint32_t x14 = x10 ^ x13;
    const uint32_t x15 = x12 | x14;
    const uint32_t x16 = x15 & ~x11;
    const uint32_t x17 = x6 ^ x16;
    const uint32_t x18 = ~x11;
    *p0 = x12;
    *p1 = x14;
    *p2 = x17;
    *p3 = x18;
}

/* serpent_s5: 15 gates; in place. */
static inline void serpent_s5(uint32_t *p0, uint32_t *p1, uint32_t *p2, uint32_t *p3) {
    const uint32_t x0 = *p0, x1 = *p1, x2 = *p2, x3 = *p3;
    const uint32_t x4 = x2 ^ x3;
    const uint32_t x5 = x4 & x0;
    const uint32_t x6 = x3 ^ x5;
    const uint32_t x7 = x4 & ~x6;
    const uint32_t x8 = x1 ^ x7;
    const uint32_t x9 = ~x0;
    const uint32_t x10 = x9 & ~x8;
    const uint32_t x11 = x4 ^ x10;
    const uint32_t x12 = x8 ^ x9;
    const uint32_t x13 = x12 & ~x6;
    const uint32_t x14 = x9 ^ x13;
    const uint32_t x15 = x14 & x11;
    const uint32_t x16 = x12 & ~x15;
    const uint32_t x17 = x6 ^ x16;
    const uint32_t x18 = x14 ^ x11;
    *p0 = x17;
    *p1 = x18;
    *p2 = x11;
    *p3 = x12;
}

/* serpent_s6: 14 gates; in place. */
static inline void serpent_s6(uint32_t *p0, uint32_t *p1, uint32_t *p2, uint32_t *p3) {
    const uint32_t x0 = *p0, x1 = *p1, x2 = *p2, x3 = *p3;
    const uint32_t x4 = ~x3;
    const uint32_t x5 = x4 | x0;
    const uint32_t x6 = x1 ^ x5;
    const uint32_t x7 = x2 ^ x6;
    const uint32_t x8 = x0 ^ x7;
    const uint32_t x9 = x7 ^ x3;
    const uint32_t x10 = x8 & ~x6;
    const uint32_t x11 = x4 ^ x10;
    const uint32_t x12 = x9 & x8;
    const uint32_t x13 = x6 ^ x12;
    const uint32_t x14 = x13 & ~x11;
    const uint32_t x15 = x8 ^ x14;
    const uint32_t x16 = x11 ^ x15;
    const uint32_t x17 = x13 ^ x15;
    *p0 = x16;
    *p1 = x17;
    *p2 = x9;
    *p3 = x15;
}

/* serpent_s7: 15 gates; in place. */
static inline void serpent_s7(uint32_t *p0, uint32_t *p1, uint32_t *p2, uint32_t *p3) {
    const uint32_t x0 = *p0, x1 = *p1, x2 = *p2, x3 = *p3;
    const uint32_t x4 = x2 & x0;
    const uint32_t x5 = x3 ^ x4;
    const uint32_t x6 = x1 ^ x4;
    const uint32_t x7 = x6 & x5;
    const uint32_t x8 = x0 ^ x7;
    const uint32_t x9 = x2 ^ x5;
    const uint32_t x10 = x9 | x8;
    const uint32_t x11 = x6 ^ x10;
    const uint32_t x12 = ~x5;
    const uint32_t x13 = x12 & ~x11;
    const uint32_t x14 = x13 | x8;
    const uint32_t x15 = x9 ^ x14;
    const uint32_t x16 = x8 ^ x11;
    const uint32_t x17 = x15 & ~x11;
    const uint32_t x18 = x12 ^ x17;
    *p0 = x16;
    *p1 = x11;
    *p2 = x18;
    *p3 = x15;
}

/* rectangle: 12 gates; in place. */
static inline void rectangle_sbox(uint16_t *p0, uint16_t *p1, uint16_t *p2, uint16_t *p3) {
    const uint16_t x0 = *p0, x1 = *p1, x2 = *p2, x3 = *p3;
    const uint16_t x4 = (uint16_t)(~x2);
    const uint16_t x5 = (uint16_t)(x3 & ~x2);
    const uint16_t x6 = (uint16_t)(x0 ^ x1);
    const uint16_t x7 = (uint16_t)(x5 ^ x6);
    const uint16_t x8 = (uint16_t)(x0 | x4);
    const uint16_t x9 = (uint16_t)(x3 ^ x8);
    const uint16_t x10 = (uint16_t)(x1 ^ x9);
    const uint16_t x11 = (uint16_t)(x1 ^ x2);
    const uint16_t x12 = (uint16_t)(x6 & x9);
    const uint16_t x13 = (uint16_t)(x11 ^ x12);
    const uint16_t x14 = (uint16_t)(x7 | x11);
    const uint16_t x15 = (uint16_t)(x9 ^ x14);
    *p0 = x13;
    *p1 = x15;
    *p2 = x10;
    *p3 = x7;
}

/* ascon: 17 gates; in place. */
static inline void ascon_sbox(uint64_t *p0, uint64_t *p1, uint64_t *p2, uint64_t *p3, uint64_t *p4) {
    const uint64_t x0 = *p0, x1 = *p1, x2 = *p2, x3 = *p3, x4 = *p4;
    const uint64_t x5 = x0 ^ x4;
    const uint64_t x6 = x3 ^ x4;
    const uint64_t x7 = x1 ^ x2;
    const uint64_t x8 = x1 & ~x5;
    const uint64_t x9 = x7 & ~x1;
    const uint64_t x10 = x3 & ~x7;
    const uint64_t x11 = x6 & ~x3;
    const uint64_t x12 = x5 & ~x6;
    const uint64_t x13 = x5 ^ x9;
    const uint64_t x14 = x1 ^ x10;
    const uint64_t x15 = x7 ^ x11;
    const uint64_t x16 = x3 ^ x12;
    const uint64_t x17 = x6 ^ x8;
    const uint64_t x18 = x13 ^ x14;
    const uint64_t x19 = x13 ^ x17;
    const uint64_t x20 = x15 ^ x16;
    const uint64_t x21 = ~x15;
    *p0 = x19;
    *p1 = x18;
    *p2 = x21;
    *p3 = x20;
    *p4 = x17;
}

#endif
