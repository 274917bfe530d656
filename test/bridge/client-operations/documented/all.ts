import type { ExpectedGroup } from '../notation.ts';
import * as boards from './boards.ts';
import * as cards from './cards.ts';
import * as company from './company.ts';
import * as documents from './documents.ts';
import * as provisioning from './provisioning.ts';

/** Every operation to which the documents give a method and a path: 8 of SCIM and 186 of REST, in 52 groups. */
export const documented: Readonly<Record<string, ExpectedGroup>> = {
  ...provisioning,
  ...cards,
  ...boards,
  ...documents,
  ...company,
};
