# TT::Metalium, as tt-metal's own package has it: headers and the library behind them.
set(TT-Metalium_VERSION "@VERSION@")

if(NOT TARGET TT::Metalium)
    add_library(TT::Metalium SHARED IMPORTED)
    set_target_properties(
        TT::Metalium
        PROPERTIES
            IMPORTED_LOCATION @LIBRARY@
            IMPORTED_NO_SONAME TRUE
            INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}/../../../include"
    )
    target_compile_features(TT::Metalium INTERFACE cxx_std_20)
    # Sizes are given where the API takes 32 bits; tt-metal's own build is as lenient.
    target_compile_options(TT::Metalium INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-narrowing>" "$<$<CXX_COMPILER_ID:Clang>:-Wno-c++11-narrowing>")
endif()

foreach(part IN ITEMS TT::STL Metalium::Metalium)
    if(NOT TARGET ${part})
        add_library(${part} INTERFACE IMPORTED)
        target_link_libraries(${part} INTERFACE TT::Metalium)
    endif()
endforeach()

set(TT-Metalium_FOUND TRUE)
