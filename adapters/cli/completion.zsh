#compdef gatehouse
# Completion of gatehouse for zsh: source <(gatehouse completion zsh)
_gatehouse() {
    local program=${words[1]}
    local -a offers
    if ((CURRENT == 2)); then
        offers=(dev serve migrate admin exec commands keys version completion)
        compadd -- $offers
        return
    fi
    case ${words[2]} in
        admin) ((CURRENT == 3)) && compadd -- create || compadd -- --email ;;
        keys) ((CURRENT == 3)) && compadd -- reencrypt ;;
        completion) ((CURRENT == 3)) && compadd -- bash zsh fish ;;
        commands) compadd -- --family --json --names ;;
        exec)
            if [[ ${words[CURRENT]} == -* ]]; then
                compadd -- --url --token --dry-run --idempotency-key --json --help
            elif ((CURRENT == 3)); then
                offers=(${(f)"$($program commands --names 2>/dev/null)"})
                compadd -- $offers
            else
                offers=(${(f)"$($program commands --params-of ${words[3]} 2>/dev/null)"})
                compadd -S '' -- $offers
            fi
            ;;
    esac
}
compdef _gatehouse gatehouse
