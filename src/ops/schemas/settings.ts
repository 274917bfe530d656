import { z } from 'zod';
import { SETTING_ORIGINS } from '../../settings/shown.ts';

/** One setting in effect. */
export const setting = z.strictObject({
  name: z.string(),
  variable: z.string().describe('The environment variable that sets it.'),
  value: z
    .string()
    .nullable()
    .describe('As it may be written in a settings file, secrets hidden; null: not set.'),
  from: z
    .enum(SETTING_ORIGINS)
    .describe('Where the value comes from; `secret-file`: a file that a variable `…_FILE` names.'),
  source: z
    .string()
    .nullable()
    .describe('The variable or the settings file that sets it; null: the default holds.'),
});
