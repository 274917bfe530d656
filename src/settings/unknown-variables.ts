import { type Environment, toFileVariable } from './environment.ts';
import { findNearest } from './nearest.ts';
import type { SettingRow } from './rows.ts';

/** Read before there are settings. */
const otherVariables = ['CONFIG'];

/** Shorter names resemble too many that have nothing to do with the bridge. */
const lookalikeLengthMin = 8;

/**
 * Lists a warning for each variable that resembles a setting and is none. All others belong to other programs. Their values
 * are never shown.
 */
export function listMisspelt(rows: readonly SettingRow[], env: Environment): string[] {
  const known = rows.flatMap((row) => [row.variable, toFileVariable(row) ?? row.variable]);
  return Object.keys(env)
    .filter((name) => env[name] && !known.includes(name) && !otherVariables.includes(name))
    .filter((name) => !isKubernetesService(name, env[name]))
    .flatMap((name) => {
      const hint = toHint(name, known);
      return hint === '' ? [] : [`The environment variable ${name} is not read.${hint}`];
    });
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
