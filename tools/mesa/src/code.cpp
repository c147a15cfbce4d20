// SPDX-License-Identifier: MIT
/**
 * DOC: code for shader cores
 *
 * LLVM compiles a copy of the module of a fragment shader for RV64, as objects that are stored,
 * and JITLink links an object where CPU and GPU have memory at one address.
 */
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/DataExtractor.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdio>
#include <cstring>
#include <mutex>

#include "module.h"

extern "C" {
void LLVMInitializeRISCVTargetInfo(void);
void LLVMInitializeRISCVTarget(void);
void LLVMInitializeRISCVTargetMC(void);
void LLVMInitializeRISCVAsmPrinter(void);
void LLVMInitializeRISCVAsmParser(void);

/* library.S */
extern const char tess_gl_library_gpu[], tess_gl_library_cpu[], tess_gl_library_format[],
	tess_gl_library_end[];
}

using namespace llvm;
using namespace llvm::orc;
using jitlink::BasicLayout;
using jitlink::JITLinkDylib;
using jitlink::JITLinkMemoryManager;
using jitlink::LinkGraph;

#define PASSES "default<O2>"
#define FEATURES "+m", "+a", "+f", "+d", "+c", "+zba", "+zbb", "+zbs", "+unaligned-scalar-mem"

namespace {

/* What is linked is written where it will run. */
class SharedMemory : public JITLinkMemoryManager {
      public:
	explicit SharedMemory(struct tess_gl *gpu) : gl(gpu)
	{
	}

	class Linking : public InFlightAlloc {
	      public:
		Linking(SharedMemory &memory, void *code) : owner(memory), at(code)
		{
		}

		void finalize(OnFinalizedFunction done) override
		{
			done(FinalizedAlloc(ExecutorAddr::fromPtr(at)));
		}

		void abandon(OnAbandonedFunction done) override
		{
			tess_gl_code_free(owner.gl, at);
			done(Error::success());
		}

	      private:
		SharedMemory &owner;
		void *at;
	};

	void allocate(const JITLinkDylib *, LinkGraph &graph, OnAllocatedFunction done) override
	{
		BasicLayout layout(graph);
		auto sizes = layout.getContiguousPageBasedLayoutSizes(4096);
		char *at;

		if (!sizes) {
			done(sizes.takeError());
			return;
		}
		at = static_cast<char *>(tess_gl_code_alloc(gl, sizes->total()));
		if (!at) {
			done(createStringError(inconvertibleErrorCode(), "no memory for code"));
			return;
		}
		place(layout, at);
		if (auto error = layout.apply()) {
			tess_gl_code_free(gl, at);
			done(std::move(error));
			return;
		}
		done(std::make_unique<Linking>(*this, at));
	}

	void deallocate(std::vector<FinalizedAlloc> allocs, OnDeallocatedFunction done) override
	{
		for (auto &alloc : allocs)
			tess_gl_code_free(gl, alloc.release().toPtr<void *>());
		done(Error::success());
	}

      private:
	static void place(BasicLayout &layout, char *at)
	{
		for (auto &entry : layout.segments()) {
			auto &segment = entry.second;

			segment.Addr = ExecutorAddr::fromPtr(at);
			segment.WorkingMem = at;
			at += alignTo(segment.ContentSize + segment.ZeroFillSize, 4096);
		}
	}

	struct tess_gl *gl;
};

struct Linked {
	JITDylib *jd;
};

} /* namespace */

struct tess_gl_compiler {
	std::mutex mutex;
	std::unique_ptr<TargetMachine> target;
	SharedMemory memory;
	std::unique_ptr<ExecutionSession> session;
	std::unique_ptr<ObjectLinkingLayer> layer;
	uint64_t count = 0;

	explicit tess_gl_compiler(struct tess_gl *gl) : memory(gl)
	{
	}
};

static std::unique_ptr<TargetMachine> create_target(void)
{
	JITTargetMachineBuilder builder((Triple("riscv64-unknown-elf")));
	TargetOptions options;

	options.MCOptions.ABIName = "lp64d";
	/* One rounding or two: as the same module does on the CPU */
	options.AllowFPOpFusion = FPOpFusion::Strict;
	options.EmitStackSizeSection = true;
	builder.setOptions(options);
	builder.addFeatures({ FEATURES });
	builder.setCPU("generic-rv64");
	builder.setCodeModel(CodeModel::Medium);
	builder.setRelocationModel(Reloc::PIC_);
	auto target = builder.createTargetMachine();
	if (!target) {
		fprintf(stderr, "tessera: LLVM: %s\n", toString(target.takeError()).c_str());
		return nullptr;
	}
	return std::move(*target);
}

struct tess_gl_compiler *tess_gl_compiler_create(struct tess_gl *gl)
{
	auto compiler = std::make_unique<tess_gl_compiler>(gl);

	LLVMInitializeRISCVTargetInfo();
	LLVMInitializeRISCVTarget();
	LLVMInitializeRISCVTargetMC();
	LLVMInitializeRISCVAsmPrinter();
	LLVMInitializeRISCVAsmParser();
	compiler->target = create_target();
	if (!compiler->target)
		return nullptr;
	auto control = SelfExecutorProcessControl::Create();
	if (!control) {
		fprintf(stderr, "tessera: LLVM: %s\n", toString(control.takeError()).c_str());
		return nullptr;
	}
	compiler->session = std::make_unique<ExecutionSession>(std::move(*control));
	compiler->layer =
		std::make_unique<ObjectLinkingLayer>(*compiler->session, compiler->memory);
	return compiler.release();
}

void tess_gl_compiler_destroy(struct tess_gl_compiler *compiler)
{
	if (auto error = compiler->session->endSession())
		consumeError(std::move(error));
	delete compiler;
}

const char *tess_gl_compiler_id(void)
{
	return "riscv64 3 " LLVM_VERSION_STRING " " PASSES;
}

static bool calls(Module &m, bool (*is)(StringRef name))
{
	for (Function &f : m)
		if (f.isDeclaration() && is(f.getName()))
			return true;
	return false;
}

/* Add what a module calls of a library. What is in the library is what this file was built with. */
static void add_library(Module &m, const char *begin, const char *end, bool (*is)(StringRef name))
{
	if (!calls(m, is))
		return;
	auto library = cantFail(parseBitcodeFile(
		MemoryBufferRef(StringRef(begin, (size_t)(end - begin)), "library"),
		m.getContext()));
	/* It is for the processor that the rest is for */
	for (Function &f : *library)
		for (const char *name : { "target-cpu", "target-features", "tune-cpu" })
			f.removeFnAttr(name);
	if (auto *flags = library->getModuleFlagsMetadata())
		library->eraseNamedMetadata(flags);
	library->setTargetTriple(m.getTargetTriple());
	library->setDataLayout(m.getDataLayout());
	if (Linker::linkModules(m, std::move(library), Linker::LinkOnlyNeeded))
		report_fatal_error("the library of shaders does not fit");
	for (Function &f : m)
		if (!f.isDeclaration() && is(f.getName()))
			f.setLinkage(GlobalValue::InternalLinkage);
}

static void add_libraries(Module &m, const char *begin, const char *end)
{
	add_library(m, begin, end, [](StringRef name) { return name == LP_SAMPLE_QUAD; });
	add_library(m, tess_gl_library_format, tess_gl_library_end,
		    [](StringRef name) { return name.starts_with("util_format_"); });
}

void tess_gl_complete(LLVMModuleRef module)
{
	add_libraries(*unwrap(module), tess_gl_library_cpu, tess_gl_library_format);
}

/* The object of a module */
static std::unique_ptr<MemoryBuffer> generate(struct tess_gl_compiler *compiler,
					      LLVMModuleRef module)
{
	LLVMModuleRef copy = LLVMCloneModule(module);
	std::unique_ptr<Module> m(unwrap(copy));
	LLVMTargetMachineRef target =
		reinterpret_cast<LLVMTargetMachineRef>(compiler->target.get());
	LLVMPassBuilderOptionsRef options;

	/* Passes do what they like with code that is wrong */
	if (LLVMVerifyModule(copy, LLVMReturnStatusAction, NULL))
		return nullptr;
	options = LLVMCreatePassBuilderOptions();
	m->setTargetTriple(compiler->target->getTargetTriple().str());
	m->setDataLayout(compiler->target->createDataLayout());
	add_libraries(*m, tess_gl_library_gpu, tess_gl_library_cpu);
	if (auto error = unwrap(LLVMRunPasses(copy, PASSES, target, options)))
		consumeError(std::move(error));
	LLVMDisposePassBuilderOptions(options);
	auto object = SimpleCompiler(*compiler->target)(*m);
	if (!object) {
		consumeError(object.takeError());
		return nullptr;
	}
	return std::move(*object);
}

/*
 * Bytes of stack that functions of an object need if each one is called by another one: there
 * is no recursion in shaders. The section is a list of addresses and sizes.
 */
static uint32_t stack_of(MemoryBufferRef object)
{
	auto file = object::ObjectFile::createELFObjectFile(object);
	uint64_t sum = 0;

	if (!file) {
		consumeError(file.takeError());
		return 0;
	}
	for (auto &section : (*file)->sections()) {
		auto name = section.getName();
		auto text = section.getContents();

		if (!name || !text || *name != ".stack_sizes") {
			consumeError(name.takeError());
			consumeError(text.takeError());
			continue;
		}
		DataExtractor data(*text, true, 8);
		uint64_t at = 0;

		while (data.isValidOffset(at)) {
			data.getU64(&at);
			sum += data.getULEB128(&at);
		}
	}
	return (uint32_t)alignTo(sum, 16);
}

static bool fail(struct lp_offload_code *code, Error error)
{
	snprintf(code->error, sizeof(code->error), "a shader is not for the GPU: %s",
		 toString(std::move(error)).c_str());
	for (char *c = code->error; *c; c++)
		if (*c == '\n')
			*c = ' ';
	return false;
}

static bool link_object(struct tess_gl_compiler *compiler, struct lp_offload_code *code)
{
	StringRef bytes(static_cast<char *>(code->object), code->object_size);
	auto jd = compiler->session->createJITDylib("shader" + std::to_string(compiler->count++));

	if (!jd)
		return fail(code, jd.takeError());
	auto linked = std::make_unique<Linked>(Linked{ &*jd });
	Error error = compiler->layer->add(*jd, MemoryBuffer::getMemBufferCopy(bytes));
	for (unsigned int i = 0; !error && i < code->count; i++) {
		auto symbol = compiler->session->lookup({ linked->jd }, code->name[i]);

		if (!symbol)
			error = symbol.takeError();
		else
			code->entry[i] = symbol->getAddress().getValue();
	}
	if (error) {
		fail(code, std::move(error));
		consumeError(compiler->session->removeJITDylib(*linked->jd));
		return false;
	}
	code->handle = linked.release();
	return true;
}

bool tess_gl_compile(struct tess_gl_compiler *compiler, LLVMModuleRef module,
		     struct lp_offload_code *code)
{
	std::lock_guard<std::mutex> guard(compiler->mutex);

	if (!code->object) {
		auto object = generate(compiler, module);

		if (!object)
			return fail(code, createStringError(inconvertibleErrorCode(),
							    "LLVM does not compile it"));
		code->object_size = object->getBufferSize();
		code->object = malloc(code->object_size);
		if (!code->object)
			return fail(code, createStringError(inconvertibleErrorCode(), "no memory"));
		memcpy(code->object, object->getBufferStart(), code->object_size);
	}
	code->stack = stack_of(MemoryBufferRef(
		StringRef(static_cast<char *>(code->object), code->object_size), "shader"));
	return link_object(compiler, code);
}

void tess_gl_release(struct tess_gl_compiler *compiler, void *handle)
{
	auto *linked = static_cast<Linked *>(handle);
	std::lock_guard<std::mutex> guard(compiler->mutex);

	consumeError(compiler->session->removeJITDylib(*linked->jd));
	delete linked;
}
