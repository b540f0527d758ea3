#define USUBA_LEVEL_@NAME@ @level@u
