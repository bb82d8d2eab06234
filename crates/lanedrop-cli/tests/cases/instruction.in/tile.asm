# One tile: a tenth of 2048 elements in each partition is dropped.
tile: dropout dtype=bfloat16 channels=128 drop=0.1
    src=sbuf[p0](512, 4@512)
    dst=sbuf[p0+0x4000](2048)
    wait=sem[3]>=9 update=sem[4]++@complete
nop
