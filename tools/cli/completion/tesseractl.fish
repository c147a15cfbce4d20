# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of tesseractl for fish. The program knows what can come.

function __tesseractl_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l option (string match -r '^--[^=]*=' -- $current)
    set -l path (string replace -r '^--[^=]*=' '' -- $current)
    for line in ($before[1] complete -- $before[2..] "$current" 2>/dev/null)
        switch $line
            case :files
                for name in (__fish_complete_path $path)
                    echo "$option$name"
                end
            case :directories
                for name in (__fish_complete_directories $path)
                    echo "$option$name"
                end
            case '*'
                echo $line
        end
    end
end

complete -c tesseractl -f -a '(__tesseractl_complete)'
