# Completion of gatehouse for fish: gatehouse completion fish | source
# The words before the cursor without flags, which may stand anywhere.
function __gatehouse_words
    set -l words (commandline -opc)
    argparse -i 'url=' 'token=' 'idempotency-key=' 'family=' 'email=' 'profile=' 'org=' 'jq=' 'columns=' -- $words 2>/dev/null
    string match -v -- '-*' $argv
end
function __gatehouse_params
    set -l words (__gatehouse_words)
    set -l name (string match -r '^([^=]+)=' -- (commandline -ct))[2]
    if test -n "$name"
        gatehouse commands --params-of $words[3] --values-of $name 2>/dev/null | string replace -r '^' "$name="
    else
        gatehouse commands --params-of $words[3] 2>/dev/null
    end
end
function __gatehouse_families
    gatehouse commands --names 2>/dev/null | string split -f 1 . | sort -u
end
function __gatehouse_at
    test (count (__gatehouse_words)) -eq $argv[1]
end
complete -c gatehouse -f
complete -c gatehouse -n '__gatehouse_at 1' -a 'dev serve migrate admin exec listen logs login logout profiles open commands backup restore keys version completion'
complete -c gatehouse -n '__fish_seen_subcommand_from admin; and __gatehouse_at 2' -a create
complete -c gatehouse -n '__fish_seen_subcommand_from create' -l email -r
complete -c gatehouse -n '__fish_seen_subcommand_from keys; and __gatehouse_at 2' -a reencrypt
complete -c gatehouse -n '__fish_seen_subcommand_from completion; and __gatehouse_at 2' -a 'bash zsh fish'
complete -c gatehouse -n '__fish_seen_subcommand_from commands' -l family -x -a '(__gatehouse_families)'
complete -c gatehouse -n '__fish_seen_subcommand_from commands' -l json
complete -c gatehouse -n '__fish_seen_subcommand_from commands' -l names
complete -c gatehouse -n '__fish_seen_subcommand_from exec; and __gatehouse_at 2' -a '(gatehouse commands --names)'
complete -c gatehouse -n '__fish_seen_subcommand_from exec; and not __gatehouse_at 2' -a '(__gatehouse_params)'
complete -c gatehouse -n '__fish_seen_subcommand_from exec' -l url -r
complete -c gatehouse -n '__fish_seen_subcommand_from exec' -l token -r
complete -c gatehouse -n '__fish_seen_subcommand_from exec' -l dry-run
complete -c gatehouse -n '__fish_seen_subcommand_from exec' -l wait
complete -c gatehouse -n '__fish_seen_subcommand_from exec listen logs login logout open' -l profile -x -a '(gatehouse profiles --names)'
complete -c gatehouse -n '__fish_seen_subcommand_from logs open' -l url -r
complete -c gatehouse -n '__fish_seen_subcommand_from logs' -l token -r
complete -c gatehouse -n '__fish_seen_subcommand_from logs' -l events -r
complete -c gatehouse -n '__fish_seen_subcommand_from logs' -l org -r
complete -c gatehouse -n '__fish_seen_subcommand_from logs' -l since -r
complete -c gatehouse -n '__fish_seen_subcommand_from logs' -l no-follow
complete -c gatehouse -n '__fish_seen_subcommand_from logs' -l json
complete -c gatehouse -n '__fish_seen_subcommand_from logs' -l jq -r
complete -c gatehouse -n '__fish_seen_subcommand_from login' -l email -r
complete -c gatehouse -n '__fish_seen_subcommand_from login' -l password
complete -c gatehouse -n '__fish_seen_subcommand_from login' -l no-browser
complete -c gatehouse -n '__fish_seen_subcommand_from login' -l url -r
complete -c gatehouse -n '__fish_seen_subcommand_from profiles' -l names
complete -c gatehouse -n '__fish_seen_subcommand_from backup restore' -l force
complete -c gatehouse -n '__fish_seen_subcommand_from backup restore; and __gatehouse_at 2' -F
complete -c gatehouse -n '__fish_seen_subcommand_from exec' -l idempotency-key -r
complete -c gatehouse -n '__fish_seen_subcommand_from exec' -l json
complete -c gatehouse -n '__fish_seen_subcommand_from exec' -l jq -r
complete -c gatehouse -n '__fish_seen_subcommand_from exec' -l columns -r
complete -c gatehouse -n '__fish_seen_subcommand_from exec' -l org -r
complete -c gatehouse -n '__fish_seen_subcommand_from exec' -l all
