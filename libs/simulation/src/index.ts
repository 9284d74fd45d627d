export { helpText, parseSimulationFlags, type SimulationFlags } from './flags.ts';
export { startSimulation, type Simulation, type SimulationOptions } from './start.ts';
export { readStageFiles } from './stage-files.ts';
