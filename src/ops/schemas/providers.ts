import { z } from 'zod';
import { RIGHTS } from '../../domain/provider.ts';
import { bodyOf, type JsonOf, moment } from './kinds.ts';

/** Limit of entries of one list. */
const ENTRIES_MAX = 100;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const NAME_ERROR = 'name is 1 to 64 letters, digits, dots, hyphens and underscores.';
const DOMAIN = /^(?:[\p{L}\p{N}-]{1,63}\.)*[\p{L}\p{N}-]{1,63}$/u;
const DOMAINS_ERROR = `domains is a list of 1 to ${ENTRIES_MAX} mail domains such as example.com, or null for any.`;
const GROUPS_ERROR = `groupNames is a list of 1 to ${ENTRIES_MAX} names of groups, in which * stands for any text, or null for any.`;
const MAY_ERROR = `may is a list of: ${RIGHTS.join(', ')}.`;

const domains = () =>
  z
    .array(z.string(), { error: DOMAINS_ERROR })
    .min(1, { error: DOMAINS_ERROR })
    .max(ENTRIES_MAX, { error: DOMAINS_ERROR })
    .refine((all) => all.every((one) => one.length <= 253 && DOMAIN.test(one)), {
      error: DOMAINS_ERROR,
    })
    .nullable()
    .describe('Mail domains whose people it may create or take over; null: any.');

const groupNames = () =>
  z
    .array(z.string(), { error: GROUPS_ERROR })
    .min(1, { error: GROUPS_ERROR })
    .max(ENTRIES_MAX, { error: GROUPS_ERROR })
    .refine((all) => all.every((one) => one.trim() !== '' && one.length <= 256), {
      error: GROUPS_ERROR,
    })
    .nullable()
    .describe('Names that its groups may have, `*` stands for any text; null: any.');

const may = () =>
  z
    .array(z.enum(RIGHTS, { error: MAY_ERROR }), { error: MAY_ERROR })
    .describe('Its rights over its own people and groups; `create` is also to take over.');

/** An identity provider. */
export const provider = z.strictObject({
  name: z.string(),
  domains: domains(),
  groupNames: groupNames(),
  may: may(),
  createdAt: moment().nullable().describe('null: the default one was always there.'),
  createdBy: z
    .string()
    .nullable()
    .describe('The id of the credential that made it, or `command`; null: nobody did.'),
});
/** An identity provider as an operator is shown it. */
export type ProviderView = JsonOf<typeof provider>;

const limits = {
  domains: domains().optional(),
  groupNames: groupNames().optional(),
  may: may().optional(),
};

/** A provider that is to be added. */
export const providerBody = bodyOf(
  '{"name": "…", "domains": ["…"], "groupNames": ["…"], "may": ["…"]}',
  {
    name: z.string({ error: NAME_ERROR }).refine((text) => NAME.test(text), { error: NAME_ERROR }),
    ...limits,
  },
);

/** Limits that are to hold from now on; what is left out stays. */
export const limitsBody = bodyOf('{"domains": ["…"], "groupNames": ["…"], "may": ["…"]}', limits);
/** Limits as a request names them. */
export type LimitsBody = JsonOf<typeof limitsBody>;
