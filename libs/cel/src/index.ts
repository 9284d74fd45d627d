export { celRules } from './rules/evaluator.ts';
export { parse } from './parser.ts';
export { check, type Checked } from './checker.ts';
export { program, type Outcome, type Program } from './interpreter.ts';
export { CompileError, type Issue } from './issues.ts';
export { EvaluationError, type Value } from './values.ts';
