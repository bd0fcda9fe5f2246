import { refuseForeignHome } from '../../../hub/base/disk/home_owner.js';
import { environment } from '../../../hub/config/config.js';
import { command } from '../../command_line/command.js';
import { EXIT } from '../../output/failure.js';
import { chosenRemote, REMOTE } from '../../sharing/remotes.js';
import { changeProjects } from '../../sharing/share_project.js';
import { changePreference } from '../config/change.js';

export const remoteRemoveCommand = command({
  name: 'remove',
  summary: 'Forget the address of a remote; what was shared stays, here and there.',
  arguments: [{ ...REMOTE, required: true }],
  examples: [{ line: 'cognition remote remove team', does: 'forgets it' }],
  async run(input, context) {
    const remote = chosenRemote(context, input.required('remote'));
    refuseForeignHome(context.paths.home, environment('SUDO_UID'));
    await changePreference(context.paths.config, `remote.${remote}`, null);
    // Another database of that name is another matter.
    await changeProjects(context, (all) => all.filter((one) => one.remote !== remote));
    if (context.json) await context.printJson({ name: remote });
    else await context.out.write(`${remote} is forgotten.\n`);
    return EXIT.ok;
  },
});
