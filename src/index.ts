// The bridge for programs that start it themselves: what they import as `scim-bridge`.
export { serve } from './main.ts';
export { type LoadedSettings, loadSettings } from './settings/load.ts';
export type { SettingsSource } from './settings/sources.ts';
