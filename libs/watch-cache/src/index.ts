export { createStore } from './cacher.ts';
export { HistoryBudget } from './history-budget.ts';
