/** Prints a value for `--json`. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Types an answer of a bridge of the same version; the caller names the type that describes the route. */
export function parseAnswer<T>(answer: unknown): T {
  return answer as T;
}
