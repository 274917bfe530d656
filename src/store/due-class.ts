import type { DueClass } from './schema.ts';

/** Removal of access goes before everything else. */
export function toDueClass(removesAccess: boolean): DueClass {
  return removesAccess ? 0 : 1;
}
