import { createRuleBook } from '../../src/domain/rule-book.ts';
import type { Rules } from '../../src/rules/rules.ts';
import { createProtection } from '../../src/store/resources/protection.ts';

/** No rules, which is what most bridges have. */
export const noRules: Rules = {
  book: createRuleBook([]),
  deactivation: 'scim',
  protection: createProtection({
    isProtectedUser: () => false,
    isProtectedGroup: () => false,
    findOwnAccount: () => undefined,
  }),
};
