/**
 * A document that this program wrote into a text column. Nobody else writes there, so its shape is
 * taken on trust; broken JSON throws and stops the operation that met it.
 */
export function parseStored<T>(text: string): T {
  return JSON.parse(text) as T;
}
