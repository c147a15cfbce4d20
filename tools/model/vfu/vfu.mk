# SPDX-License-Identifier: GPL-2.0-or-later
#
# The vfio-user server and the PCI function, relative to tools/model.

VFU_SRCS := vfu/server.c vfu/conn.c vfu/msg.c vfu/version.c vfu/json.c \
	    vfu/region.c vfu/irq.c vfu/dma.c vfu/sigbus.c
PCI_SRCS := pci.c pci_dev.c

# tests/NAME.c, linked with the helpers.
VFU_TESTS := vfu_json_test vfu_proto_test vfu_dma_test vfu_irq_test vfu_life_test \
	     vfu_fuzz_test pci_test pci_dev_test
VFU_HELPERS := tests/vfu_client.c

# The device that tests/vfu_qemu_test.sh attaches to a real VMM.
.DEFAULT_GOAL := all
$(O)/vfu_demo_device: $(O)/tests/vfu_demo_device.o $(O)/libmodel.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

# Boots a Linux guest on it; runs in the environment (scripts/env run make ...). TAP.
test-qemu: $(O)/vfu_demo_device
	$(Q)tests/vfu_qemu_test.sh $<

.PHONY: test-qemu
