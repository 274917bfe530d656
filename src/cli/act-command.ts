import type { Command, Option } from 'commander';
import type { OpsJson, OpsSchemaName } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { findResource, parseAnswer, toJson } from './json.ts';

/** Arguments and options as they were typed. */
export interface Given {
  /** The first argument; empty: there is none. */
  readonly key: string;
  /** The second one. */
  readonly second: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A command that changes something by a request to the bridge. */
interface Act<Name extends OpsSchemaName> {
  /** Its name with its arguments, and the command that it is below. */
  readonly usage: string;
  readonly about: string;
  readonly options?: readonly (readonly [flags: string, help: string])[];
  readonly more?: (context: CliContext) => readonly Option[];
  readonly help?: string;
  /** Says what is wrong with what was typed; undefined: nothing. */
  readonly findFault?: (given: Given) => string | undefined;
  /** Question that is asked first, unless `--yes` is said; undefined: none now. */
  readonly question?: (
    given: Given,
    context: CliContext,
  ) => string | undefined | Promise<string | undefined>;
  /**
   * Path of the request, with `{key}` for the first argument, or `{resource}` for the path of the user or group that it
   * names.
   */
  readonly path?: `/${string}`;
  /** The body; the options when left out. */
  readonly toBody?: (given: Given) => object;
  /** Sends something else than one request. */
  readonly send?: (context: CliContext, given: Given) => Promise<unknown>;
  readonly toText: (answer: OpsJson<Name>, given: Given) => string;
}

/**
 * Makes the command: it asks where something is dangerous, sends, and says what came of it.
 * @param _answer the schema of the answer
 */
export function actCommand<Name extends OpsSchemaName>(_answer: Name, act: Act<Name>): AddCommand {
  const { usage, about, options = [], more, help, findFault, question, toText } = act;
  const { send = sendRequest } = act;
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
      const given = { key, second, options: rest };
      const fault = findFault?.(given);
      if (fault !== undefined) command.error(`error: ${fault}`);
      const asked = await question?.(given, context);
      if (asked && !(await confirm(command, context, { yes, question: asked }))) return;
      const answer = parseAnswer<OpsJson<Name>>(await send(context, given));
      context.write(json ? toJson(answer) : toText(answer, given));
    });
  };

  async function sendRequest({ connect }: CliContext, given: Given): Promise<unknown> {
    const client = connect();
    const { path = '/', toBody } = act;
    let at: string = path.replace('{key}', encodeURIComponent(given.key));
    if (at.startsWith('/{resource}')) {
      const { type, id } = await findResource(client, given.key);
      at = at.replace('{resource}', `${type}s/${id}`);
    }
    const hasBody = toBody !== undefined || Object.keys(given.options).length > 0;
    const body = hasBody ? (toBody?.(given) ?? given.options) : undefined;
    return client.send('POST', `/${at.slice(1)}`, body);
  }
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
