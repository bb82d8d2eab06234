//! Addresses, on-chip geometry and tensor descriptors.

super::claims! {
    ADDR4_BITS = "addr4-bits", High Observed,
        "ADDR4: bits 0..=28 are a byte address; bit 29 marks an indirect, bit 30 a shape register, bit 31 an address register",
        "pages \"ADDR4, the 32-Bit Address Word\" and \"S3D3 Collective\"";
    SHAPE_REGISTER_BIT = "addr4-shape-register-bit", Med Observed,
        "bit 30 of ADDR4 says that the shape comes from a register",
        "marker name in the headers (pages \"S3D3 Collective\", \"TensorDequantize\")",
        contested [
            "page \"ADDR4, the 32-Bit Address Word\" infers the name ACTIVE",
            "page \"TENSOR1D/2D/3D Descriptors\" has tensor3d_valid reject this marker; the headers relax the count check for it",
        ];
    SHAPE_REGISTER_ENCODING = "shape-register-encoding", Low Inferred,
        "how the step and count words name the register of a shape-register pattern is not known",
        "no page found states it for ADDR4 patterns",
        wall ClosableWithCorpus "the TENSOR3D and SHAPE_REG comments of aws_neuron_isa_tpb_common.h";
    INDIRECT_BIT = "addr4-indirect-bit", Med Observed,
        "bit 29 of ADDR4 marks an indirect (gather) index; PSUM is told by the address alone",
        "page \"ADDR4, the 32-Bit Address Word\"; marker names in the headers",
        contested ["pages \"TENSOR1D/2D/3D Descriptors\" and \"TENSOR4D / MEM_PATTERN4D\" read the marker 0x20 as the PSUM path"];
    INDIRECT_ILLEGAL = "dropout-no-indirect", Low Inferred,
        "Dropout takes no indirect pattern on any generation",
        "its struct stays TENSOR3D where siblings moved to MEM_PATTERN3D on v4 (page \"Dropout\")",
        wall ClosableWithCorpus "s3d3_dropout.h of v4 and v5";
    MX_MARKER_V5 = "mx-marker-v5", Low Inferred,
        "on v5 the marker byte 0x01 (MXTENSOR_V2) in a Dropout start address is read as address bits",
        "the marker exists on v5 (page \"Cross-Generation Arch-ISA Header Diff\"); nothing ties it to Dropout";
    ADDR4_REGISTER_FORM = "addr4-register-form", High Observed,
        "a register address has its number, below 64, in byte 0 and zeros in bytes 1..=2; v2 asks zeros in bits 8..=30",
        "pages \"ADDR4, the 32-Bit Address Word\" and \"On-Chip State-Buffer (SBUF) + PSUM Bank Model\"";
    REGISTER_SKIPS_PLACEMENT = "register-skips-placement", Med Observed,
        "an address from a register is asked neither alignment nor placement",
        "page \"On-Chip State-Buffer (SBUF) + PSUM Bank Model\"";
    GEOMETRY_SBUF = "geometry-sbuf", High Observed,
        "SBUF: 128 partitions, stride 256 KiB on v2..v4 and 1024 KiB on v5, of which 192, 224, 256 and 512 KiB are active",
        "page \"On-Chip State-Buffer (SBUF) + PSUM Bank Model\" (header constants)";
    GEOMETRY_PSUM = "geometry-psum", High Observed,
        "PSUM: base 0x2000000, stride 32 KiB a partition, 16 KiB active; region 4 MiB on v2..v4",
        "page \"On-Chip State-Buffer (SBUF) + PSUM Bank Model\" (header constants)";
    PSUM_V5_SIZED_OUT = "psum-v5-sized-out", Med Inferred,
        "on v5 no address is in PSUM: its region has size 0, and 0x2000000 lies inside SBUF",
        "the v5 constants of page \"On-Chip State-Buffer (SBUF) + PSUM Bank Model\"; the consequence is ours";
    PLACEMENT = "start-address-placement", High Observed,
        "a start address lies in SBUF or in PSUM and is aligned to the element size",
        "tensor_start_addr_valid, pages \"On-Chip State-Buffer (SBUF) + PSUM Bank Model\" and \"ADDR4, the 32-Bit Address Word\"";
    PSUM_WRITE_4_BYTES = "psum-write-4-bytes", High Observed,
        "a write to PSUM needs a dtype of 4 bytes; a read may have any",
        "tensor_start_addr_valid, pages \"On-Chip State-Buffer (SBUF) + PSUM Bank Model\" and \"ADDR4, the 32-Bit Address Word\"";
    DROPOUT_SPACES = "dropout-spaces", Med Inferred,
        "Dropout may read and write both SBUF and PSUM",
        "every DVE sibling with public rules allows both (TensorScalar, TensorScalarSelect, Activate); Dropout's own flags are on no page",
        wall ClosableWithCorpus "the two tensor3d_valid calls of s3d3_dropout.h";
    ACTIVE_BOUND = "active-bytes-not-checked", Med Observed,
        "the header's predicates look at the start address alone; that a pattern stays within the active bytes of its partition is not checked",
        "predicates listed on page \"On-Chip State-Buffer (SBUF) + PSUM Bank Model\"";
    START_PARTITION_TABLE = "start-partition-table", Med Inferred,
        "a pattern starts in partition 0 (up to 128 channels), 32 (32), 64 (64) or 96 (32), and in no other",
        "matmul group tables and the same-quadrant helper (page \"On-Chip State-Buffer (SBUF) + PSUM Bank Model\"); the public KLR front end; public NKI kernels",
        wall ClosableWithCorpus "the body of start_addr_active_channels in aws_neuron_isa_tpb_common.h";

    TENSOR_DESCRIPTOR = "tensor-descriptor", High Observed,
        "TENSORnD is 4+4n bytes: address, then all steps, then all counts",
        "pages \"TENSOR1D/2D/3D Descriptors, the 4+4N Rule\" and \"TENSOR4D / MEM_PATTERN4D\"";
    STEP_ELEM = "step-elem", High Observed,
        "a step is a signed 16-bit number of elements; negative walks backwards, 0 reads again",
        "pages \"TENSOR1D/2D/3D Descriptors, the 4+4N Rule\" and \"Tensor-Tensor Elementwise Arith\"";
    NUM_ELEM = "num-elem", High Observed,
        "a count is an unsigned 16-bit number of elements, 1 or more unless the shape comes from a register",
        "pages \"TENSOR1D/2D/3D Descriptors, the 4+4N Rule\" and \"S3D3 Collective\"";
    INNERMOST_IS_0 = "innermost-is-0", High Observed,
        "dimension 0 is the innermost: it changes fastest",
        "the compiler's packer (pages \"TENSOR1D/2D/3D Descriptors, the 4+4N Rule\", \"TENSOR4D / MEM_PATTERN4D\"); old public compiler source fills index 0 from X",
        contested ["the worked example of page \"TENSOR1D/2D/3D Descriptors\" puts the outer loop at index 0, against its own packer"];
    PARTITION_AXIS = "partition-axis", Med Observed,
        "the partition axis is no step or count: channel c works on the start partition plus c",
        "page \"TENSOR1D/2D/3D Descriptors, the 4+4N Rule\"; that the step is one partition is inferred";
    CHANNELS_1_TO_128 = "channels-1-to-128", High Observed,
        "num_active_channels is 1..=128",
        "page \"TensorDequantize\" (check_active_channels); page \"Dropout\", POOLING_NUM_CHANNELS and DVE_NUM_CHANNELS";
}
