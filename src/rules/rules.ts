import type { RuleBook } from '../domain/rule-book.ts';
import type { Deactivation } from '../domain/user.ts';
import type { Protection } from '../store/resources/protection.ts';

/** Rules of the configuration with what following them needs. */
export interface Rules {
  readonly book: RuleBook;
  readonly deactivation: Deactivation;
  readonly protection: Protection;
}
