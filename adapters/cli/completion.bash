# Completion of gatehouse for bash: eval "$(gatehouse completion bash)"
_gatehouse() {
    local line point word words cword
    # Words are cut at blanks only: bash would cut name=value at its "=".
    line=${COMP_LINE:0:COMP_POINT}
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    cword=$((${#words[@]} - 1))
    word=${words[cword]}
    local offers="" program=${words[0]}
    if ((cword == 1)); then
        offers="dev serve migrate admin exec commands keys version completion"
    elif ((cword >= 2)); then
        case ${words[1]} in
            admin) ((cword == 2)) && offers="create" || offers="--email" ;;
            keys) ((cword == 2)) && offers="reencrypt" ;;
            completion) ((cword == 2)) && offers="bash zsh fish" ;;
            commands) offers="--family --json --names" ;;
            exec)
                if [[ $word == -* ]]; then
                    offers="--url --token --dry-run --idempotency-key --json --help"
                elif ((cword == 2)); then
                    offers=$("$program" commands --names 2>/dev/null)
                elif [[ $word != *=* ]]; then
                    offers=$("$program" commands --params-of "${words[2]}" 2>/dev/null)
                fi
                ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$offers" -- "$word")
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    return 0
}
complete -F _gatehouse gatehouse
