/**
 * Closes the prototypes that every object shares, once everything is loaded: nothing a stranger sends
 * can then add a property that other requests would see. Error prototypes stay open, because many
 * libraries set `name` and `message` on their own errors.
 */
export function freezePrototypes(): void {
  const types = [Object, Array, Function, String, Number, Boolean, RegExp, Map, Set, Promise];
  for (const type of types) {
    Object.freeze(type.prototype);
    Object.freeze(type);
  }
}
