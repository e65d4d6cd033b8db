// tt_metal::detail: what is done without a queue, and the profiler, of which there is none here.
#pragma once

#include "accessor.hpp"
#include "global_semaphore.hpp"
#include "work_split.hpp"

namespace tt::tt_metal {

enum class ProfilerReadState { NORMAL, ONLY_DISPATCH_CORES, LAST_FD_READ };
enum class ProfilerSyncState { INIT, CLOSE_DEVICE };
struct ProfilerOptionalMetadata {};

namespace detail {

// Said once: times of a device are no times of the model, which has cycles in its report.
inline void no_profiler() {
    static const bool told = [] {
        std::fputs("note: there is no device profiler here; runs report their cycles instead (TILEPROOF_FORMAT=json)\n", stderr);
        return true;
    }();
    (void)told;
}
inline void DumpDeviceProfileResults(IDevice*) { no_profiler(); }
inline void ReadDeviceProfilerResults(IDevice*, ProfilerReadState = ProfilerReadState::NORMAL, const std::optional<ProfilerOptionalMetadata>& = {}) { no_profiler(); }
inline void InitDeviceProfiler(IDevice*) { no_profiler(); }
inline void ClearProfilerControlBuffer(IDevice*) {}
inline void ProfilerSync(ProfilerSyncState) {}
inline void SetDeviceProfilerDir(const std::string& = "") { no_profiler(); }
inline void FreshProfilerDeviceLog() {}

inline bool DispatchStateCheck(bool) { return true; }
inline void CompileProgram(IDevice*, Program&, bool = false) {}
inline void WriteRuntimeArgsToDevice(IDevice*, Program&, bool = false) {}
inline bool ConfigureDeviceWithProgram(IDevice*, Program&, bool = false) { return true; }
inline void LaunchProgram(IDevice* device, Program& program, bool = true, bool = false, const Here& here = Here::current()) {
    program.run(device->number(), here);
}
inline void LaunchProgram(IDevice* device, const std::shared_ptr<Program>& program, bool = true, bool = false, const Here& here = Here::current()) {
    program->run(device->number(), here);
}
inline void WaitProgramDone(IDevice*, Program&, bool = true) {}

template <typename T>
void WriteToBuffer(Buffer& buffer, const std::vector<T>& host, const Here& here = Here::current()) {
    write_all(buffer, host.data(), host.size() * sizeof(T), here);
}
template <typename T>
void WriteToBuffer(const std::shared_ptr<Buffer>& buffer, const std::vector<T>& host, const Here& here = Here::current()) {
    write_all(*buffer, host.data(), host.size() * sizeof(T), here);
}
template <typename T>
void ReadFromBuffer(Buffer& buffer, std::vector<T>& host, const Here& here = Here::current()) {
    host.resize(buffer.size() / sizeof(T));
    buffer.read(0, host.data(), host.size() * sizeof(T), here);
}
template <typename T>
void ReadFromBuffer(const std::shared_ptr<Buffer>& buffer, std::vector<T>& host, const Here& here = Here::current()) {
    ReadFromBuffer(*buffer, host, here);
}
inline std::map<ChipId, IDevice*> CreateDevices(const std::vector<ChipId>& ids, const Here& here = Here::current()) {
    std::map<ChipId, IDevice*> devices;
    for (const ChipId id : ids) {
        devices.emplace(id, open_device(id, here));
    }
    return devices;
}
inline void CloseDevices(const std::map<ChipId, IDevice*>& devices) {
    for (const auto& [id, device] : devices) {
        device->close();
    }
}

}  // namespace detail

inline void DumpDeviceProfileResults(IDevice*, const Program&) { detail::no_profiler(); }
inline void ReadMeshDeviceProfilerResults(distributed::MeshDevice&, ProfilerReadState = ProfilerReadState::NORMAL, const std::optional<ProfilerOptionalMetadata>& = {}) {
    detail::no_profiler();
}

}  // namespace tt::tt_metal
