import { randomBytes, randomUUID } from 'node:crypto';

/** What `{{name}}` stands for in a case. */
export type Variables = ReadonlyMap<string, string>;

/** The variables that every case starts with. `rand`, `RAND` and `uuid` are new for each run of a case. */
export function startVariables(token: string): Map<string, string> {
  const rand = randomBytes(4).toString('hex');
  return new Map([
    ['rand', rand],
    ['RAND', rand.toUpperCase()],
    ['uuid', randomUUID()],
    ['token', token],
  ]);
}

/** @throws Error on a variable that no earlier step has captured. */
export function fillText(text: string, variables: Variables): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`the case uses {{${name}}}, which nothing has set`);
    return value;
  });
}

/** Fills every string in a JSON value, the names of members too. */
export function fillJson(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return fillText(value, variables);
  if (Array.isArray(value)) return value.map((item) => fillJson(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      fillText(name, variables),
      fillJson(item, variables),
    ]),
  );
}
