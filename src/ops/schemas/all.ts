export * from './access.ts';
export * from './drift.ts';
export * from './records.ts';
export * from './resources.ts';
export * from './state.ts';
