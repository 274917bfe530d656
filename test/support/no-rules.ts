import { createRuleBook } from '../../src/domain/rule-book.ts';
import type { Rules } from '../../src/reconcile/rules/rules.ts';

/** No rules, which is what most bridges have. */
export const noRules: Rules = {
  book: createRuleBook([]),
  deactivation: 'scim',
  protection: { findReason: async () => undefined, findPrivilege: () => undefined },
};
