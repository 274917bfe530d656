type Step = { kind: 'member'; name: string } | { kind: 'index'; index: number } | FilterStep;
/** `[?(@.type=='work')]`: the first element whose member equals the text. */
type FilterStep = { kind: 'first-where'; name: string; equals: string };

const stepPattern =
  /\.(?<dotted>[\w$-]+)|\['(?<quoted>[^']+)'\]|\[(?<index>\d+)\]|\[\?\(@\.(?<name>[\w$-]+)=='(?<equals>[^']*)'\)\]/y;

/**
 * The value at a JSON path, or undefined when there is none. Understands what the cases use:
 * `$.a.b`, `$['urn:…'].x`, `[0]` and `[?(@.type=='work')]` (the first match).
 * @throws Error on a path it does not understand, so that a misspelt path cannot pass as "absent".
 */
export function findByPath(root: unknown, path: string): unknown {
  return parsePath(path).reduce(take, root);
}

function parsePath(path: string): Step[] {
  if (!path.startsWith('$')) throw new Error(`a path starts with $: ${path}`);
  const steps: Step[] = [];
  let position = 1;
  while (position < path.length) {
    stepPattern.lastIndex = position;
    const match = stepPattern.exec(path);
    if (match?.groups === undefined)
      throw new Error(`cannot read the path ${path} from character ${position} on`);
    steps.push(toStep(match.groups));
    position = stepPattern.lastIndex;
  }
  return steps;
}

function toStep(groups: Record<string, string | undefined>): Step {
  const { dotted, quoted, index, name, equals = '' } = groups;
  if (index !== undefined) return { kind: 'index', index: Number(index) };
  if (name !== undefined) return { kind: 'first-where', name, equals };
  return { kind: 'member', name: dotted ?? quoted ?? '' };
}

function take(value: unknown, step: Step): unknown {
  switch (step.kind) {
    case 'member':
      return member(value, step.name);
    case 'index':
      return Array.isArray(value) ? value[step.index] : undefined;
    case 'first-where':
      return Array.isArray(value)
        ? value.find((item) => member(item, step.name) === step.equals)
        : undefined;
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
