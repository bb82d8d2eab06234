# one tile: 128 channels of 512 fp32 elements, drop one in ten
dropout dtype=fp32 drop=0.1 channels=128
    src=sbuf[p0+0x1000](512)
    dst=sbuf[p0+0x3000](512)
