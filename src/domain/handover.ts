/**
 * Outcomes of a switch of providers, for one person or group.
 * - `handed-over`: it goes to the other provider
 * - `ambiguous`: it is not sure which row of the file it is, so it stays
 * - `only-here`: the file does not have it, so it stays
 * - `only-file`: the other provider has it, and nobody here is it
 */
export const HANDOVER_OUTCOMES = ['handed-over', 'ambiguous', 'only-here', 'only-file'] as const;

/**
 * Outcomes of an import of ids, for one row of the file.
 * - `imported`: the bridge answers by this id from now on
 * - `known`: it does so already
 * - `taken`: the id is somebody else's
 * - `ambiguous`: the row fits more than one person
 * - `only-file`: nobody here is it
 */
export const IMPORT_OUTCOMES = ['imported', 'known', 'taken', 'ambiguous', 'only-file'] as const;
