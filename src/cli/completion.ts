import { Argument, type Command } from 'commander';
import type { AddCommand } from './context.ts';

/** `completion`: prints a script with which bash, or zsh in its way, completes commands and options. */
export const addCompletionCommand: AddCommand = (program, { write }) => {
  const command = program.command('completion');
  command
    .description(
      'print a script with which bash completes commands and options, and zsh after bashcompinit',
    )
    .addArgument(new Argument('<shell>', 'for this shell').choices(['bash']))
    .addHelpText('after', help)
    .action(() => write(toBash(listPlaces(program))));
};

const help = `
  bash   source <(scim-bridge completion bash)
  zsh    autoload -U bashcompinit && bashcompinit && source <(scim-bridge completion bash)`;

/** Place in a command line, such as `token create` or `drifts --status`, and the words that may follow it. */
interface Place {
  readonly path: string;
  readonly words: readonly string[];
  /** True behind an option that takes a value: the next word is in the place before again. */
  readonly isValue: boolean;
}

function listPlaces(command: Command, path = ''): Place[] {
  const join = (word: string) => (path === '' ? word : `${path} ${word}`);
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const words = [
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...help.visibleCommands(command).map((child) => child.name()),
    ...options.flatMap(({ long }) => long ?? []),
  ];
  const values = options.flatMap(({ long, required, argChoices = [] }): Place[] =>
    long && required ? [{ path: join(long), words: argChoices, isValue: true }] : [],
  );
  const children = command.commands.map((child) => listPlaces(child, join(child.name())));
  return [{ path, words, isValue: false }, ...values, ...children.flat()];
}

function toBash(places: readonly Place[]): string {
  const toLines = (some: readonly Place[], toLine: (path: string) => string) =>
    some.map(({ path }) => toLine(path)).join('\n');
  const commands = places.filter(({ path, isValue }) => path !== '' && !isValue);
  const values = places.filter(({ isValue }) => isValue);
  return `# Completion of scim-bridge for bash: source <(scim-bridge completion bash)
_scim_bridge() {
  local cur place='' words='' i
  cur=\${COMP_WORDS[COMP_CWORD]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${place:+$place }\${COMP_WORDS[i]}" in
${toLines(commands, (path) => `      '${path}') place='${path}' ;;`)}
    esac
  done
  case "\${place:+$place }\${COMP_WORDS[COMP_CWORD-1]}" in
${toLines(values, (path) => `    '${path}') place='${path}' ;;`)}
  esac
  case "$place" in
${places.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _scim_bridge scim-bridge
`;
}
