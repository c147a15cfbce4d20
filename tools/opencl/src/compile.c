// SPDX-License-Identifier: MIT
/**
 * DOC: compiling
 *
 * PoCL's compiler makes bitcode of a program when that is built. When a kernel is about to run
 * for the first time with a shape of work-groups, it makes a function of it that runs one group,
 * and code for the shader cores; the linker makes a program for libtessera of that and of the
 * first function (device/entry.c), which is next to this library. It is kept in PoCL's cache.
 *
 * Everything but the linker runs in this process.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"

#include "common_driver.h"
#include "pocl_cache.h"
#include "pocl_file_util.h"
#include "pocl_llvm.h"
#include "pocl_util.h"

#define LINKER "ld.lld-18"
/* Next to this library: the first function, and those that compilers call */
#define ENTRY_FILE "tessera-opencl-entry.o"
#define RUNTIME_FILE "tessera-opencl-rt.a"

/* LLVM's code generator is one for all. */
static pthread_mutex_t compiler_lock = PTHREAD_MUTEX_INITIALIZER;

static int beside(const char *file, char *path, size_t size)
{
	Dl_info info;
	const char *slash;

	if (!dladdr((void *)beside, &info))
		return -1;
	slash = strrchr(info.dli_fname, '/');
	snprintf(path, size, "%.*s%s", slash ? (int)(slash + 1 - info.dli_fname) : 0,
		 info.dli_fname, file);
	return 0;
}

/* What the linker complained about, as one report */
static void show_log(const char *log)
{
	char *text = NULL;
	uint64_t size = 0;

	if (pocl_read_file(log, &text, &size))
		return;
	tess_cl_report("cannot link a kernel: %.*s", (int)(size < 800 ? size : 800), text);
	free(text);
}

static int run_linker(const char *const *argv, const char *log)
{
	posix_spawn_file_actions_t files;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log, O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
	if (posix_spawnp(&pid, argv[0], &files, NULL, (char *const *)argv, environ))
		tess_cl_report("cannot start %s", argv[0]);
	else if (waitpid(pid, &status, 0) < 0)
		status = -1;
	posix_spawn_file_actions_destroy(&files);
	return status;
}

static int link_program(const char *object, const char *output)
{
	char entry[POCL_MAX_PATHNAME_LENGTH], runtime[POCL_MAX_PATHNAME_LENGTH];
	char log[POCL_MAX_PATHNAME_LENGTH];
	const char *const argv[] = { LINKER,	"-pie",	 "--no-dynamic-linker",
				     "-z",	"text",	 "-z",
				     "norelro", "-e",	 "0",
				     "-o",	output,	 object,
				     entry,	runtime, NULL };
	int status;

	if (beside(ENTRY_FILE, entry, sizeof(entry)) ||
	    beside(RUNTIME_FILE, runtime, sizeof(runtime)) ||
	    pocl_cache_tempname(log, ".log", NULL))
		return -1;
	status = run_linker(argv, log);
	if (status)
		show_log(log);
	pocl_remove(log);
	return status ? -1 : 0;
}

static int generate(_cl_command_node *cmd, cl_kernel kernel, cl_device_id device, int specialize,
		    const char *object)
{
	void *module = NULL;
	char *code = NULL;
	uint64_t size = 0;
	int ret;

	ret = pocl_llvm_generate_workgroup_function_nowrite(cmd->program_device_i, device, kernel,
							    cmd, &module, specialize);
	if (!ret)
		ret = pocl_llvm_codegen(device, kernel->program, module, &code, &size);
	if (!ret)
		ret = pocl_write_file(object, code, size, 0);
	free(code);
	if (module)
		pocl_destroy_llvm_module(module, kernel->context);
	return ret;
}

static int make(_cl_command_node *cmd, cl_kernel kernel, cl_device_id device, int specialize,
		const char *path)
{
	char dir[POCL_MAX_PATHNAME_LENGTH];
	char object[POCL_MAX_PATHNAME_LENGTH], output[POCL_MAX_PATHNAME_LENGTH];
	int ret;

	pocl_cache_kernel_cachedir_path(dir, kernel->program, cmd->program_device_i, kernel, "",
					cmd, specialize);
	if (pocl_mkdir_p(dir) || pocl_cache_tempname(object, ".o", NULL))
		return CL_OUT_OF_RESOURCES;
	ret = pocl_cache_tempname(output, ".elf", NULL);
	if (!ret)
		ret = generate(cmd, kernel, device, specialize, object);
	if (!ret)
		ret = link_program(object, output);
	if (!ret)
		ret = pocl_rename(output, path);
	pocl_remove(object);
	if (ret)
		tess_cl_report("cannot compile kernel \"%s\"", kernel->name);
	return ret ? CL_OUT_OF_RESOURCES : 0;
}

/* A program that was loaded from a binary has no bitcode, but what was made for any shape. */
static int find_in_binary(_cl_command_node *cmd, cl_kernel kernel, char *path)
{
	pocl_cache_final_binary_path(path, kernel->program, cmd->program_device_i, kernel, cmd, 0);
	if (pocl_exists(path))
		return 0;
	tess_cl_report("the binary has no code of kernel \"%s\"", kernel->name);
	return CL_INVALID_PROGRAM_EXECUTABLE;
}

int tess_cl_compile(_cl_command_node *cmd, cl_kernel kernel, cl_device_id device, int specialize,
		    char *path)
{
	int ret = 0;

	pocl_cache_final_binary_path(path, kernel->program, cmd->program_device_i, kernel, cmd,
				     specialize);
	pthread_mutex_lock(&compiler_lock);
	if (pocl_exists(path))
		ret = 0;
	else if (kernel->program->binaries[cmd->program_device_i])
		ret = make(cmd, kernel, device, specialize, path);
	else
		ret = find_in_binary(cmd, kernel, path);
	pthread_mutex_unlock(&compiler_lock);
	return ret;
}

/* For binaries of a program, which have the code of all its kernels. */
static void compile_kernel(_cl_command_node *cmd, cl_kernel kernel, cl_device_id device,
			   int specialize)
{
	char path[POCL_MAX_PATHNAME_LENGTH];

	if (cmd && cmd->type == CL_COMMAND_NDRANGE_KERNEL)
		tess_cl_compile(cmd, kernel, device, specialize, path);
}

/* The instruction set is in the bitcode of the builtin functions, too (scripts/layer.d). */
static char *init_build(void *data)
{
	(void)data;
	return strdup("-target-feature +m -target-feature +a -target-feature +f "
		      "-target-feature +d -target-feature +c -target-feature +zba "
		      "-target-feature +zbb -target-feature +zbs");
}

void tess_cl_compile_ops(struct pocl_device_ops *ops)
{
	ops->init_build = init_build;
	ops->build_source = pocl_driver_build_source;
	ops->link_program = pocl_driver_link_program;
	ops->build_binary = pocl_driver_build_binary;
	ops->setup_metadata = pocl_driver_setup_metadata;
	ops->supports_binary = pocl_driver_supports_binary;
	ops->build_poclbinary = pocl_driver_build_poclbinary;
	ops->compile_kernel = compile_kernel;
	ops->build_builtin = pocl_driver_build_opencl_builtins;
	ops->free_program = tess_cl_free_program;
}
