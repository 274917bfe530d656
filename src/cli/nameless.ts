import { hidePersonal } from '../ops/schemas/personal.ts';
import { type OpsJson, type OpsSchemaName, opsSchemas } from '../ops/schemas/schemas.ts';
import type { CliContext } from './context.ts';

/** Option that has names told where many may read the output. */
export const NAMES = [
  '--names',
  'with names and values, also where the output is no terminal',
] as const;

/** True when names are told: at a terminal, or where they are asked for. */
export function tellsNames(
  { terminal }: Pick<CliContext, 'terminal'>,
  { names }: { readonly names?: true | undefined },
): boolean {
  return names === true || terminal !== undefined;
}

/** An answer with ids in the place of names. @param name of its schema */
export function toNameless<Name extends OpsSchemaName>(
  name: Name,
  answer: OpsJson<Name>,
): OpsJson<Name> {
  return parseShown<Name>(hidePersonal(opsSchemas[name], answer));
}

/** Parses an answer with hidden names: it has the shape of the open one. */
function parseShown<Name extends OpsSchemaName>(shown: unknown): OpsJson<Name> {
  return shown as OpsJson<Name>;
}
