// The command buffers of a NoC by hand: a kernel writes registers, and the last one sends what they describe.
// What a buffer may describe here is a read or a write between L1 and an address; anything else ends the kernel by name. Numbers
// are those of tt-metal `noc_parameters.h`. Start at send.
#pragma once

#define NCRISC_WR_CMD_BUF 0
#define NCRISC_RD_CMD_BUF 1
#define NCRISC_WR_REG_CMD_BUF 2
#define NCRISC_AT_CMD_BUF 3
#define BRISC_WR_CMD_BUF 0
#define BRISC_RD_CMD_BUF 1
#define BRISC_WR_REG_CMD_BUF 2
#define BRISC_AT_CMD_BUF 3
#define NOC_CTRL_SEND_REQ 1
#define NOC_CTRL_STATUS_READY 0
#define NOC_CMD_CPY (0u << 0)
#define NOC_CMD_AT (1u << 0)
#define NOC_CMD_RD (0u << 1)
#define NOC_CMD_WR (1u << 1)
#define NOC_CMD_WR_BE (1u << 2)
#define NOC_CMD_WR_INLINE (1u << 3)
#define NOC_CMD_RESP_MARKED (1u << 4)
#define NOC_CMD_BRCST_PACKET (1u << 5)
#define NOC_CMD_VC_LINKED (1u << 6)
#define NOC_CMD_VC_STATIC (1u << 7)
#define NOC_CMD_PATH_RESERVE (1u << 8)
#define NOC_CMD_STATIC_VC(VC) (uint32_t(VC) << 14)

namespace tp {

enum NocRegister : uint32_t {
    target_low, target_middle, target_high, return_low, return_middle, return_high, tag, control, bytes, data, command, COUNT,
};
struct NocCommand {
    uint32_t words[NocRegister::COUNT];
};
inline NocCommand noc_commands[NUM_NOCS][4];
// The firmware sets the buffer of reads up for them (tt-metal `noc_init`).
inline bool noc_control_is_set[NUM_NOCS][4];

ALWI void send(Site site, uint32_t noc, uint32_t buffer) {
    const NocCommand& own = noc_commands[noc & 1][buffer & 3];
    // Coordinates stand above the 36 bits of an offset: in a register of their own, or in what older kernels take for the middle.
    const auto address = [](uint32_t high, uint32_t middle, uint32_t low) {
        return uint64_t(high) << NOC_ADDR_COORD_SHIFT | uint64_t(middle) << 32 | low;
    };
    // One end of a command lies in this core; nobody need say so.
    const auto is_here = [&](uint32_t high, uint32_t middle) {
        const uint64_t coordinates = address(high, middle, 0);
        return coordinates == 0 || coordinates == noc_xy(my_x[noc & 1], my_y[noc & 1]);
    };
    const bool is_set = noc_control_is_set[noc & 1][buffer & 3];
    const uint32_t kind = own.words[control] & (NOC_CMD_AT | NOC_CMD_WR | NOC_CMD_WR_BE | NOC_CMD_WR_INLINE | NOC_CMD_BRCST_PACKET);
    const bool reads = is_set ? kind == (NOC_CMD_CPY | NOC_CMD_RD) : buffer == NCRISC_RD_CMD_BUF;
    if (!(reads ? is_here(own.words[return_high], own.words[return_middle])
                : is_here(own.words[target_high], own.words[target_middle]))) {
        unsupported(site, "a NoC command by hand both ends of which are somewhere else");
    }
    if (reads) {
        issue_read(site, noc | noc_flag::one_packet, address(own.words[target_high], own.words[target_middle], own.words[target_low]),
                   own.words[return_low], own.words[bytes]);
    } else if (is_set && kind == (NOC_CMD_CPY | NOC_CMD_WR)) {
        issue_write(site, noc | noc_flag::one_packet, own.words[target_low],
                    address(own.words[return_high], own.words[return_middle], own.words[return_low]), own.words[bytes],
                    (own.words[control] & NOC_CMD_RESP_MARKED) == 0);
    } else {
        unsupported(site, "a NoC command by hand that is neither a read nor a write of bytes");
    }
}
ALWI void write_noc_register(Site site, uint32_t noc, uint32_t buffer, NocRegister which, uint32_t value) {
    noc_commands[noc & 1][buffer & 3].words[which] = value;
    noc_control_is_set[noc & 1][buffer & 3] |= which == control;
    if (which == command) {
        send(site, noc, buffer);
    }
}

}  // namespace tp

#define NOC_TARG_ADDR_LO (::tp::NocRegister::target_low)
#define NOC_TARG_ADDR_MID (::tp::NocRegister::target_middle)
#define NOC_TARG_ADDR_HI (::tp::NocRegister::target_high)
#define NOC_RET_ADDR_LO (::tp::NocRegister::return_low)
#define NOC_RET_ADDR_MID (::tp::NocRegister::return_middle)
#define NOC_RET_ADDR_HI (::tp::NocRegister::return_high)
#define NOC_TARG_ADDR_COORDINATE NOC_TARG_ADDR_HI
#define NOC_RET_ADDR_COORDINATE NOC_RET_ADDR_HI
#define NOC_PACKET_TAG (::tp::NocRegister::tag)
#define NOC_CTRL (::tp::NocRegister::control)
#define NOC_AT_LEN_BE (::tp::NocRegister::bytes)
#define NOC_AT_DATA (::tp::NocRegister::data)
#define NOC_CMD_CTRL (::tp::NocRegister::command)
#define NOC_CMD_BUF_WRITE_REG(NOC, BUFFER, REGISTER, VALUE) \
    (::tp::write_noc_register(TP_SITE(), NOC, BUFFER, REGISTER, VALUE))
// A command has gone when the call that sends it returns.
ALWI bool noc_cmd_buf_ready(uint32_t, uint32_t) { return true; }
// What the firmware counts, for kernels that count with it; barriers know themselves what is under way.
inline uint32_t noc_reads_num_issued[NUM_NOCS], noc_nonposted_writes_num_issued[NUM_NOCS];
inline uint32_t noc_nonposted_writes_acked[NUM_NOCS], noc_nonposted_atomics_acked[NUM_NOCS], noc_posted_writes_num_issued[NUM_NOCS];
