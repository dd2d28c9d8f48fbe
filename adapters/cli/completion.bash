# Completion of gatehouse for bash: eval "$(gatehouse completion bash)"
_gatehouse() {
    local line=${COMP_LINE:0:COMP_POINT} arg flag="" offers="" prefix="" files="" words args=()
    # Words are cut at blanks only: bash would cut name=value at its "=".
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local program=${words[0]} last=$((${#words[@]} - 1))
    local word=${words[last]}
    # Flags may stand anywhere. In the end, flag is the one that word is the value of.
    for arg in "${words[@]:1:last-1}"; do
        if [[ -n $flag ]]; then
            flag=""
            continue
        fi
        case $arg in
            --url | --token | --idempotency-key | --family | --email | --profile | --org | --jq | --columns | --events | --since | --forward-to) flag=$arg ;;
            -*) ;;
            *) args+=("$arg") ;;
        esac
    done
    if [[ $flag == --family ]]; then
        offers=$("$program" commands --names 2>/dev/null | cut -d . -f 1 | sort -u)
    elif [[ $flag == --profile ]]; then
        offers=$("$program" profiles --names 2>/dev/null)
    elif [[ -z $flag ]]; then
        case ${args[0]} in
            "") offers="dev serve migrate admin exec listen logs login logout profiles open commands backup restore keys version completion" ;;
            admin) ((${#args[@]} == 1)) && offers="create" || offers="--email" ;;
            keys) ((${#args[@]} == 1)) && offers="reencrypt" ;;
            completion) ((${#args[@]} == 1)) && offers="bash zsh fish" ;;
            commands) offers="--family --json --names" ;;
            login) offers="--email --password --no-browser --url --profile" ;;
            listen) offers="--forward-to --events --url --token --profile" ;;
            logs) offers="--events --org --since --no-follow --json --jq --url --token --profile" ;;
            open) offers="--url --profile" ;;
            logout) offers="--profile" ;;
            profiles) offers="--names" ;;
            backup | restore) [[ $word == -* ]] && offers="--force" || files=1 ;;
            exec)
                if [[ $word == -* ]]; then
                    offers="--url --token --profile --org --dry-run --idempotency-key --wait --all --json --jq --columns --help"
                elif ((${#args[@]} == 1)); then
                    offers=$("$program" commands --names 2>/dev/null)
                    [[ $word == [a-z]* ]] && offers=${offers,,}
                elif [[ $word != *=* ]]; then
                    offers=$("$program" commands --params-of "${args[1]}" 2>/dev/null)
                else
                    offers=$("$program" commands --params-of "${args[1]}" --values-of "${word%%=*}" 2>/dev/null)
                    # Where bash cuts words at "=", it replaces only what stands behind it.
                    [[ $COMP_WORDBREAKS == *=* ]] || prefix=${word%%=*}=
                    word=${word#*=}
                fi
                ;;
        esac
    fi
    if [[ -n $files ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return 0
    fi
    mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$offers" -- "$word")
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    return 0
}
complete -F _gatehouse gatehouse
