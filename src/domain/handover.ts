/** Outcomes of a switch of providers. `only-here`: the file lacks it. `only-file`: nobody here is it. */
export const HANDOVER_OUTCOMES = ['handed-over', 'ambiguous', 'only-here', 'only-file'] as const;

/** Outcomes of an import of ids. `taken`: another one has the id. `only-file`: nobody here is it. */
export const IMPORT_OUTCOMES = ['imported', 'known', 'taken', 'ambiguous', 'only-file'] as const;
