import type { Command, Option } from 'commander';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { parseAnswer, toJson } from './json.ts';

/** Arguments and options as they were typed. */
export interface Given<Options> {
  /** The first argument; empty: there is none. */
  readonly key: string;
  /** The second one. */
  readonly second: string;
  readonly options: Options;
}

type Question = string | undefined;

/** A command that changes something by a request to the bridge. */
interface Act<Options, Answer> {
  /** Its name with its arguments, and the command that it is below. */
  readonly usage: string;
  readonly about: string;
  readonly options?: readonly (readonly [flags: string, help: string])[];
  readonly more?: (context: CliContext) => readonly Option[];
  readonly help?: string;
  /** Says what is wrong with what was typed; undefined: nothing. */
  readonly findFault?: (given: Given<Options>) => string | undefined;
  /** Question that is asked first, unless `--yes` is said; undefined: none now. */
  readonly question?: (given: Given<Options>, context: CliContext) => Question | Promise<Question>;
  readonly send: (context: CliContext, given: Given<Options>) => Promise<unknown>;
  readonly toText: (answer: Answer, given: Given<Options>) => string;
}

/** Makes the command: it asks where something is dangerous, sends, and says what came of it. */
export function actCommand<Options extends object, Answer>(act: Act<Options, Answer>): AddCommand {
  const { usage, about, options = [], more, help, findFault, question, send, toText } = act;
  return (program, context) => {
    const command = addCommand(program, usage, about);
    for (const [flags, meaning] of options) command.option(flags, meaning);
    for (const option of more?.(context) ?? []) command.addOption(option);
    if (question !== undefined) command.option(...YES);
    command.option('--json', 'as one JSON object');
    if (help !== undefined) command.addHelpText('after', help);
    command.action(async () => {
      const [key = '', second = ''] = command.args;
      const { yes, json, ...rest } = command.opts<{ yes?: true; json?: true }>();
      const given = { key, second, options: parseOptions<Options>(rest) };
      const fault = findFault?.(given);
      if (fault !== undefined) command.error(`error: ${fault}`);
      const asked = await question?.(given, context);
      if (asked && !(await confirm(command, context, { yes, question: asked }))) return;
      const answer = parseAnswer<Answer>(await send(context, given));
      context.write(json ? toJson(answer) : toText(answer, given));
    });
  };
}

/** The command itself has added them. */
function parseOptions<Options>(options: object): Options {
  return options as Options;
}

/** Option that answers the question before something dangerous. */
export const YES = ['--yes', 'do it without asking'] as const;

/**
 * Asks before something dangerous is done; false: the person said no. Where nobody can be asked, `--yes` is wanted, and
 * without it the command ends with the code of wrong usage.
 */
export async function confirm(
  command: Command,
  { ask, writeError }: CliContext,
  { yes, question }: { readonly yes: true | undefined; readonly question: string },
): Promise<boolean> {
  if (yes) return true;
  if (ask === undefined) {
    command.error(`error: ${question} Nobody can be asked here: say --yes. Nothing was done.`);
  }
  const answer = await ask(`${question} [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  writeError('Nothing was done.\n');
  return false;
}
