#compdef gatehouse
# Completion of gatehouse for zsh: source <(gatehouse completion zsh)
_gatehouse() {
    local program=${words[1]} arg flag=""
    local -a args offers
    # Flags may stand anywhere. In the end, flag is the one whose value is typed.
    for arg in "${(@)words[2,CURRENT-1]}"; do
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
        offers=(${(f)"$($program commands --names 2>/dev/null | cut -d . -f 1 | sort -u)"})
        compadd -- $offers
    fi
    if [[ $flag == --profile ]]; then
        offers=(${(f)"$($program profiles --names 2>/dev/null)"})
        compadd -- $offers
    fi
    [[ -n $flag ]] && return
    case ${args[1]} in
        "") compadd -- dev serve migrate admin exec listen logs login logout profiles open commands backup restore keys version completion ;;
        admin) (($#args == 1)) && compadd -- create || compadd -- --email ;;
        keys) (($#args == 1)) && compadd -- reencrypt ;;
        completion) (($#args == 1)) && compadd -- bash zsh fish ;;
        commands) compadd -- --family --json --names ;;
        login) compadd -- --email --password --no-browser --url --profile ;;
        listen) compadd -- --forward-to --events --url --token --profile ;;
        logs) compadd -- --events --org --since --no-follow --json --jq --url --token --profile ;;
        open) compadd -- --url --profile ;;
        logout) compadd -- --profile ;;
        profiles) compadd -- --names ;;
        backup | restore) [[ ${words[CURRENT]} == -* ]] && compadd -- --force || _files ;;
        exec)
            if [[ ${words[CURRENT]} == -* ]]; then
                compadd -- --url --token --profile --org --dry-run --idempotency-key --wait --all --json --jq --columns --help
            elif (($#args == 1)); then
                offers=(${(f)"$($program commands --names 2>/dev/null)"})
                compadd -M 'm:{a-z}={A-Z}' -- $offers
            elif [[ ${words[CURRENT]} == *=* ]]; then
                offers=(${(f)"$($program commands --params-of ${args[2]} --values-of ${words[CURRENT]%%=*} 2>/dev/null)"})
                compset -P '*='
                compadd -- $offers
            else
                offers=(${(f)"$($program commands --params-of ${args[2]} 2>/dev/null)"})
                compadd -S '' -- $offers
            fi
            ;;
    esac
}
compdef _gatehouse gatehouse
