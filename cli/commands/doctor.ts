import { command } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { renderChecks } from '../render/reports/doctor_report.js';
import { checksOf } from '../reports/doctor_checks.js';

export const doctorCommand = command({
  name: 'doctor',
  summary: 'Check the installation, and say how to repair what is wrong.',
  details: 'Starts the hub when it does not run. Exits 1 when a check fails.',
  examples: [{ line: 'cognition doctor', does: 'prints one line per check' }],
  async run(_input, context) {
    const checks = await checksOf(context);
    if (context.json) await context.printJson(checks);
    else await context.out.write(renderChecks(checks, await context.look(checks.map(({ found }) => found))));
    return checks.some(({ verdict }) => verdict === 'fail') ? EXIT.failure : EXIT.ok;
  },
});
