import type { Config } from "../config";
import type { Programs } from "../engine/programs";
import type { Session } from "../session";
import { bindChoices } from "./choices";
import { bindCopyText } from "./copy";
import { bindJumpBar } from "./jump-bar";
import { bindMaximize } from "./maximize";
import { bindPermission } from "./permission";
import { bindPrint } from "./print";
import { bindReleaseOffer } from "./release-offer";
import { bindReleaseMarks, bindReleases } from "./releases";
import { bindRuleFilter } from "./rule-filter";
import { bindSplits } from "./split";
import { bindStatus } from "./status";
import { bindTheme } from "./theme";
import { bindTour } from "./tour";

/** Binds what surrounds the documents and the result: header, footer, options and separators. */
export function bindFrame(session: Session, config: Config, programs: Programs | undefined): void {
  bindTheme(session);
  bindStatus(session, config);
  bindPermission(session);
  bindReleaseOffer(session, config);
  bindReleases(session, config, programs);
  bindReleaseMarks(session);
  bindChoices(session);
  bindCopyText();
  bindPrint(session);
  bindMaximize(session);
  bindJumpBar(session);
  bindRuleFilter();
  bindSplits();
  bindTour(session);
}
