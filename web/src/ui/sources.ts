import type { Replaced } from "../own";
import type { Session } from "../session";
import { bindAddressDialog } from "./address-dialog";
import { bindFiles } from "./files";
import { bindSourceNote } from "./source-note";
import { Remote } from "../remote/remote";

/** Binds the ways in which documents enter the page: files, addresses and links to them. */
export function bindSources(session: Session, replaced: Replaced): Remote {
  const remote = new Remote(session, replaced);
  bindFiles(session, replaced);
  bindAddressDialog(session, remote);
  bindSourceNote(session);
  return remote;
}
