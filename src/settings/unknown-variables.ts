import { type Environment, toFileVariable } from './environment.ts';
import type { SettingProblem } from './errors.ts';
import { findNearest } from './nearest.ts';
import type { SettingRow } from './rows.ts';

/** Read before there are settings. */
const otherVariables = ['CONFIG'];

/** Shorter names resemble too many that have nothing to do with the bridge. */
const lookalikeLengthMin = 8;

/** Variables that no setting reads although they look like settings. Their values are never shown. */
export interface UnknownVariables {
  /** Variables that begin like a section. */
  readonly problems: readonly SettingProblem[];
  /** Variables that resemble a setting. */
  readonly warnings: readonly string[];
}

/** Finds misspelt settings in the environment, where most variables belong to other programs. */
export function findUnknownVariables(
  rows: readonly SettingRow[],
  env: Environment,
): UnknownVariables {
  const known = rows.flatMap((row) => [row.variable, toFileVariable(row) ?? row.variable]);
  const prefixes = listSectionPrefixes(rows);
  const unknown = Object.keys(env)
    .filter((name) => env[name] && !known.includes(name) && !otherVariables.includes(name))
    .filter((name) => !isKubernetesService(name, env[name]))
    .map((name) => ({ name, hint: toHint(name, known) }));
  const isOurs = (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
  return {
    problems: unknown
      .filter(({ name }) => isOurs(name))
      .map(({ name, hint }) => ({
        setting: name,
        message: `${name} is no setting of the bridge.${hint}`,
      })),
    warnings: unknown
      .filter(({ name, hint }) => !isOurs(name) && hint !== '')
      .map(({ name, hint }) => `The environment variable ${name} is not read.${hint}`),
  };
}

function listSectionPrefixes(rows: readonly SettingRow[]): string[] {
  const sections = rows.flatMap(({ path: [section, ...rest] }) =>
    section !== undefined && rest.length > 0 ? [`${section.toUpperCase()}_`] : [],
  );
  return [...new Set(sections)];
}

function toHint(name: string, known: readonly string[]): string {
  const candidates = known.filter((candidate) => candidate.length >= lookalikeLengthMin);
  const nearest = findNearest(name, candidates);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

/**
 * Kubernetes puts the address of every service of a namespace into the environment; a service named `scim-bridge`
 * would otherwise look like settings of the section `scim`.
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
function isKubernetesService(name: string, value: string | undefined): boolean {
  if (/_SERVICE_HOST$|_SERVICE_PORT(_[A-Z0-9_]+)?$/.test(name)) return true;
  if (/_PORT_\d+_(TCP|UDP|SCTP)(_PROTO|_PORT|_ADDR)?$/.test(name)) return true;
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value ?? '');
}
