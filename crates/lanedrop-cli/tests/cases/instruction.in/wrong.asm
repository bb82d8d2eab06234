nop
dropout dtype=bfloat16 channels=128 drp=0.1
